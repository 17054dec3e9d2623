import { useLocation } from '@tanstack/react-router';
import { useOnline } from '../client/online.ts';
import { Skeleton } from '../components/skeleton.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { OfflineBand } from './offline-band.tsx';
import { Page } from './page.tsx';

/**
 * Shown while the code of a page loads, or while it is not known who is signed in. Online it has no heading, since a
 * heading takes the focus; without a network, which can be for long, it has that of the section.
 */
export function PendingPage() {
  const title = useSection();
  const isOnline = useOnline();
  if (!isOnline) {
    return (
      <Page title={title}>
        <Skeleton />
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

/** Where there is no frame, or not yet. */
export function FirstPending() {
  return (
    <main>
      <OfflineBand />
      <PendingPage />
    </main>
  );
}

/** The name of what the address leads to, as far as it is known without its page. */
function useSection(): string {
  const names: Readonly<Record<string, unknown>> = useWords(shared);
  const segment = useLocation({ select: ({ pathname }) => pathname.split('/')[1] || 'home' });
  const name = names[segment];
  return typeof name === 'string' ? name : String(names['app']);
}
