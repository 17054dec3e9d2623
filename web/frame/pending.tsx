import { useOnline } from '../client/online.ts';
import { OfflineState } from '../components/offline-state.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { Page } from './page.tsx';

/**
 * Shown while the code of a page loads, or while it is not known who is signed in. Online it has no heading, since a
 * heading takes the focus.
 */
export function PendingPage() {
  const { offline } = useWords(shared);
  const isOnline = useOnline();
  if (!isOnline) {
    return (
      <Page title={offline}>
        <OfflineState />
      </Page>
    );
  }
  return (
    <div className="page">
      <div className="page-header" />
      <Skeleton />
    </div>
  );
}

/** Before there is a frame. */
export function FirstPending() {
  return (
    <main>
      <PendingPage />
    </main>
  );
}
