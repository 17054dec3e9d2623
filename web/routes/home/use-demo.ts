import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { call, type CallResult } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { homeWords } from './words.ts';

type State = CallResult<'GET /demo'>['data']['data']['state'];

const ASK_AGAIN_MS = 700;

/**
 * The state of the demo data, and mutations that add and remove them. A message says when that has ended, also if
 * another person started it.
 */
export function useDemo() {
  const client = useQueryClient();
  const toast = useToast();
  const words = useWords(homeWords);
  const problemText = useProblemText();
  const query = queryOf('GET /demo');
  const { data, error } = useQuery({
    ...query,
    refetchInterval: ({ state }) => (isGoing(state.data?.data.data.state) ? ASK_AGAIN_MS : false),
  });
  const demo = data?.data.data;
  const before = useRef<State>(undefined);
  useEffect(() => {
    const [was, is] = [before.current, demo?.state];
    before.current = is;
    if (was === is || isGoing(is)) return;
    if (was === 'adding')
      toast(is === 'there' ? { text: words.demoAdded } : { text: words.demoFailed, kind: 'failed' });
    if (was === 'removing')
      toast(is === 'none' ? { text: words.demoRemoved } : { text: words.removeFailed, kind: 'failed' });
    if (isGoing(was)) void client.invalidateQueries();
  }, [demo?.state, client, toast, words]);

  const onSettled = () => client.invalidateQueries({ queryKey: query.queryKey });
  const onError = (problem: unknown) => toast({ text: problemText(problem), kind: 'failed' });
  const keep = (answer: CallResult<'POST /demo'>) =>
    client.setQueryData(query.queryKey, { ...answer, status: 200 });
  const add = useMutation({ mutationFn: () => call('POST /demo'), onSuccess: keep, onError, onSettled });
  const remove = useMutation({ mutationFn: () => call('DELETE /demo'), onSuccess: keep, onError, onSettled });
  return { demo, error, add, remove };
}

function isGoing(state: State | undefined): boolean {
  return state === 'adding' || state === 'removing';
}
