import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useToast, type Toast } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { newId } from './new-id.ts';
import { canBeSentAgain, isConflict, isProblem, mayBeDone } from './problem.ts';
import type { RecordName } from './records.ts';
import { showAllUnanswered, showUnanswered } from './unanswered.ts';

/**
 * A change that is made at once and can be undone for ten seconds. When it fails, what is shown goes back and a
 * message says why.
 */
export function useMutationWithUndo<Input, Result>({
  run,
  undo,
  of,
  text,
  show,
  keys,
  scope,
  ownWords,
}: {
  run: (input: Input) => Promise<Result>;
  /** Without it, the message has no Undo. The key stays the same when it is tried again. */
  undo?: (input: Input, result: Result, idempotencyKey: string) => Promise<unknown>;
  /** What is changed; the undo is offered until it changes again. */
  of: (input: Input, result: Result) => RecordName;
  /** Says what happened: "Task done". */
  text: (input: Input) => string;
  /** Changes the cached answers before the service has answered: `client.setQueryData(…)`. */
  show?: (input: Input) => void;
  /** Beginnings of the keys of queries that show it: put back on failure, fetched again afterwards. */
  keys: readonly QueryKey[];
  /** Changes of the same scope are made in turn. */
  scope?: string;
  /** Sentences for codes that mean more here than elsewhere. */
  ownWords?: Readonly<Record<string, string>>;
}) {
  const client = useQueryClient();
  const toast = useToast();
  const problemText = useProblemText();
  const undoBy = useUndo();

  return useMutation({
    mutationFn: run,
    ...(scope === undefined ? {} : { scope: { id: scope } }),
    async onMutate(input) {
      await Promise.all(keys.map((queryKey) => client.cancelQueries({ queryKey })));
      const before = keys.flatMap((queryKey) => client.getQueriesData({ queryKey }));
      return { before, end: showUnanswered(() => show?.(input)) };
    },
    onError(error, _input, shown) {
      shown?.end();
      for (const [key, data] of shown?.before ?? []) client.setQueryData(key, data);
      showAllUnanswered();
      toast({ text: problemText(error, ownWords), kind: 'failed' });
    },
    onSuccess(result, input) {
      const record = of(input, result);
      const key = newId();
      const onUndo = undo && undoBy({ run: () => undo(input, result, key), of: record, keys, ownWords });
      toast({ text: text(input), of: [record], ...(onUndo && { onUndo }) });
    },
    onSettled(_result, _error, _input, shown) {
      shown?.end();
      // Not awaited: the change is over, and can be tried again, before these answers come.
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    },
  });
}

/**
 * Makes the Undo of a message. It says that the change is undone, or why not, and can then be offered again. Queries
 * that show the record are fetched again.
 */
export function useUndo() {
  const client = useQueryClient();
  const toast = useToast();
  const { undone } = useWords(shared);
  const problemText = useProblemText();
  return ({
    run,
    of,
    keys,
    ownWords,
  }: {
    run: () => Promise<unknown>;
    of: RecordName;
    keys: readonly QueryKey[];
    ownWords?: Readonly<Record<string, string>> | undefined;
  }) => {
    /** An earlier try may have undone it. */
    let isUnanswered = false;
    const undo = async () => {
      try {
        await run();
        toast({ text: undone });
      } catch (error) {
        if (isUnanswered && isProblem(error, 'not_found')) toast({ text: undone });
        else {
          const again = offerAgain(error, of, () => void undo());
          toast({ text: problemText(error, ownWords), kind: 'failed', ...again });
        }
        isUnanswered ||= mayBeDone(error);
      }
      for (const queryKey of keys) void client.invalidateQueries({ queryKey });
    };
    return () => void undo();
  };
}

/** For the message of an undo that failed: offers it again where it can succeed. It can be the only way back. */
export function offerAgain(error: unknown, of: RecordName, onUndo: () => void): Partial<Toast> {
  return canBeSentAgain(error) && !isConflict(error) ? { of: [of], onUndo, stays: true } : {};
}
