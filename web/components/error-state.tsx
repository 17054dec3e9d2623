import { CallProblem } from '../client/problem.ts';
import { failureWords } from '../frame/failure-words.ts';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { Button } from './button.tsx';
import { useFocusBack } from './focus-back.ts';
import './states.css';

/**
 * In place of content that could not be had: what happened, and trying again.
 * @param focusTo selects what has the focus afterwards, where that is not the heading
 */
export function ErrorState({
  error,
  onRetry,
  isPending = false,
  focusTo,
}: {
  error: unknown;
  onRetry?: () => void;
  /** Whether it is being tried again. */
  isPending?: boolean;
  focusTo?: string;
}) {
  const words = useWords(shared);
  const { requestId } = useWords(failureWords);
  const text = useProblemText();
  useFocusBack(focusTo);
  return (
    <div className="state" role="alert">
      <p>{text(error)}</p>
      {onRetry && (
        <Button icon="history" isPending={isPending} onPress={onRetry}>
          {words.retry}
        </Button>
      )}
      {error instanceof CallProblem && error.requestId !== undefined && (
        <p className="state-id">{requestId(error.requestId)}</p>
      )}
    </div>
  );
}
