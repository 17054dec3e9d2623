import { useOnline } from '../client/online.ts';
import { OfflineState } from '../components/offline-state.tsx';
import { Skeleton } from '../components/skeleton.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { Page } from './page.tsx';

/**
 * In place of a page whose code is on its way, or of which it is not known yet who is to see it. Its heading, which
 * takes the focus, comes with it.
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
