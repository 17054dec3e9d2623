import { useLayoutEffect, useRef } from 'react';
import { CallProblem } from '../client/problem.ts';
import { failureWords } from '../frame/failure-words.ts';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { Button } from './button.tsx';
import { focusIfLost } from './focus-back.ts';
import './states.css';

/**
 * Shown in place of content that could not be loaded: says what happened, and offers to try again.
 * @param focusTo selects what takes the focus if this has it when it goes away; the heading by default
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
  const state = useRef<HTMLDivElement>(null);
  // Checked while this is still in the page: a focus that is elsewhere stays where it is.
  useLayoutEffect(() => {
    const { current } = state;
    return () => {
      if (!current?.contains(document.activeElement)) return;
      focusIfLost(focusTo ? document.querySelector<HTMLElement>(focusTo) : null);
    };
  }, [focusTo]);
  return (
    <div ref={state} className="state" role="alert">
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
