import { useQueryErrorResetBoundary } from '@tanstack/react-query';
import { useRouter, type ErrorComponentProps } from '@tanstack/react-router';
import { ErrorState } from '../components/error-state.tsx';
import { LinkButton } from '../components/link-button.tsx';
import { useWords } from '../words/dictionary.ts';
import { Page } from './page.tsx';
import { failureWords } from './failure-words.ts';

/** In place of a page that failed; the frame stays. */
export function FailurePage({ error, reset }: ErrorComponentProps) {
  const words = useWords(failureWords);
  const router = useRouter();
  const queries = useQueryErrorResetBoundary();
  return (
    <Page title={words.crashed} width="text">
      <ErrorState
        error={error}
        onRetry={() => {
          queries.reset();
          reset();
          void router.invalidate();
        }}
      />
    </Page>
  );
}

/** Where there is no frame: it is not known who is signed in, or the frame itself failed. */
export function FirstFailure(props: ErrorComponentProps) {
  return (
    <main>
      <FailurePage {...props} />
    </main>
  );
}

/** For addresses that do not exist, and for what a page did not find. */
export function NotFoundPage() {
  const words = useWords(failureWords);
  return (
    <Page title={words.notFound} width="text">
      <div className="stack">
        <p>{words.notFoundText}</p>
        <p>
          <LinkButton to="/">{words.toHome}</LinkButton>
        </p>
      </div>
    </Page>
  );
}
