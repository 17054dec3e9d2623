import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { OfferUpdate } from '../../../src/offers/schema.ts';
import { call, type CallResult } from '../../client/call.ts';
import { isConflict } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';
import { useSeenState } from '../../client/seen-state.ts';
import { useMutationWithUndo, useUndo } from '../../client/undo.ts';
import { useIsLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import type { Card } from '../offers/board-data.ts';
import { words } from './words.ts';

export const cardQuery = (id: string) => queryOf('GET /offers/{id}/card', { params: { id } });

/**
 * An offer and its changes. A change names the state that was shown when the editing began: what somebody else
 * saved meanwhile is shown before it can be overwritten.
 */
export function useOffer(id: string) {
  const client = useQueryClient();
  const query = useQuery({ ...cardQuery(id), placeholderData: undefined });
  const card: Card | undefined = query.data?.data.data;
  const said = useWords(words);
  const toast = useToast();
  const undoBy = useUndo();
  const readShown = async () => {
    const { queryKey } = cardQuery(id);
    await client.invalidateQueries({ queryKey });
    const shown = client.getQueriesData<{ data: { data: Card } }>({ queryKey, type: 'active' });
    return shown[0]?.[1]?.data.data.etag;
  };
  const { begin, of, refuse } = useSeenState<OfferUpdate, string | undefined, CallResult<'GET /offers/{id}'>>(
    card?.etag,
    readShown,
    () => call('GET /offers/{id}', { params: { id } }),
  );
  /** Each save waits for the save before, and is based on the state that the earlier one left. */
  const last = useRef<Promise<unknown>>(Promise.resolve());
  /** For each state that a save from this page has replaced, the state that took its place. */
  const made = useRef(new Map<string, string>());

  const patch = async (change: OfferUpdate, ifMatch: string | undefined) => {
    try {
      const answer = await call('PATCH /offers/{id}', { params: { id }, body: change, ifMatch });
      if (answer.etag !== undefined && ifMatch && answer.etag !== ifMatch) {
        made.current.set(ifMatch, answer.etag);
      }
      return answer;
    } catch (error) {
      // After any failure but a conflict, the edit is still based on the state that was shown.
      const stored = isConflict(error) && (await refuse(change));
      if (!stored) throw error;
      return stored;
    }
  };

  const send = async (change: OfferUpdate, before: string | undefined, shown?: Partial<Card>) => {
    let ifMatch = before;
    while (ifMatch && made.current.has(ifMatch)) ifMatch = made.current.get(ifMatch);
    // The card as earlier saves have left it.
    const was = client.getQueryData(cardQuery(id).queryKey)?.data.data;
    try {
      const answer = await patch(change, ifMatch);
      // The change is shown in the card that is there, until the card has been read again.
      client.setQueryData(
        cardQuery(id).queryKey,
        (old) => old && { ...old, data: { data: { ...old.data.data, ...answer.data.data, ...shown } } },
      );
      return { etag: answer.etag, was };
    } finally {
      void client.invalidateQueries({ queryKey: ['offers'] });
    }
  };

  const sendInOrder = (...sent: Parameters<typeof send>) => {
    const next = last.current.then(() => send(...sent));
    last.current = next.catch(() => {});
    return next;
  };

  /** @param shown other fields of the card that change, such as the company's name */
  const save = async (change: OfferUpdate, shown?: Partial<Card>) => {
    if (!card) return;
    const before = of(change);
    const { etag, was = card } = await sendInOrder(change, before && `"${before}"`, shown);
    if (change.status !== 'accepted' || was.status === 'accepted' || etag === undefined) return;
    const { status, weight } = was;
    const record = `offer ${id}` as const;
    // `keys` is empty, since `sendInOrder` already fetches again the queries that show the offer.
    const undo = () => sendInOrder({ status, weight }, etag);
    const onUndo = undoBy({ run: undo, of: record, keys: [] });
    toast({ text: said.accepted(card.title), of: [record], onUndo });
  };

  return { query, card, save, begin };
}

/** Deletes the offer, with an undo, and leads somebody who is still on its page to the offers. */
export function useDelete(card: Card | undefined) {
  const navigate = useNavigate();
  const isLeft = useIsLeft();
  const said = useWords(words);
  const { mutate } = useMutationWithUndo<Card, unknown>({
    async run({ id }) {
      await call('DELETE /offers/{id}', { params: { id } });
      if (!isLeft.current) await navigate({ to: '/offers' });
    },
    undo: ({ id }) => call('POST /offers/{id}/restore', { params: { id } }),
    of: ({ id }) => `offer ${id}`,
    text: ({ title }) => said.deleted(title),
    keys: [['offers']],
  });
  return { remove: () => card && mutate(card) };
}
