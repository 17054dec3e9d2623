import { useMutation, useQueryClient, type QueryKey } from '@tanstack/react-query';
import { useToast } from '../frame/toasts.tsx';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
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
  /** Without it, the message has no Undo. */
  undo?: (input: Input, result: Result) => Promise<unknown>;
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
  const words = useWords(shared);
  const problemText = useProblemText();
  const fetchAgain = () => Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
  const tellFailure = (error: unknown) => toast({ text: problemText(error, ownWords), kind: 'failed' });

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
      tellFailure(error);
    },
    onSuccess(result, input) {
      const onUndo = async () => {
        try {
          await undo?.(input, result);
          toast({ text: words.undone });
        } catch (error) {
          tellFailure(error);
        }
        await fetchAgain();
      };
      const record = of(input, result);
      toast({ text: text(input), of: [record], ...(undo ? { onUndo: () => void onUndo() } : {}) });
    },
    onSettled(_result, _error, _input, shown) {
      shown?.end();
      // It is done, or can be tried again, before this is answered.
      void fetchAgain();
    },
  });
}
