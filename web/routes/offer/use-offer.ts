import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import type { OfferUpdate } from '../../../src/offers/schema.ts';
import { call } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { useMutationWithUndo } from '../../client/undo.ts';
import { useToast } from '../../frame/toasts.tsx';
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
  const seen = useRef<string>(undefined);

  const send = async (change: OfferUpdate, etag: string) => {
    try {
      return await call('PATCH /offers/{id}', { params: { id }, body: change, ifMatch: etag });
    } finally {
      seen.current = undefined;
      await client.invalidateQueries({ queryKey: ['offers'] });
    }
  };

  const save = async (change: OfferUpdate) => {
    if (!card) return;
    const { etag } = await send(change, `"${seen.current ?? card.etag}"`);
    if (change.status !== 'accepted' || card.status === 'accepted' || etag === undefined) return;
    const { status, weight } = card;
    toast({
      text: said.accepted(card.title),
      of: [`offer ${id}`],
      onUndo: () => void send({ status, weight }, etag),
    });
  };

  return {
    query,
    card,
    save,
    /** Called when a field begins to be edited, and when it is left. */
    begin: () => (seen.current ??= card?.etag),
    leave: () => (seen.current = undefined),
  };
}

/** Deletes, and leads back to the offers, where it can be undone. */
export function useDelete(card: Card | undefined) {
  const navigate = useNavigate();
  const said = useWords(words);
  const { mutate, isPending } = useMutationWithUndo<Card, unknown>({
    async run({ id }) {
      await call('DELETE /offers/{id}', { params: { id } });
      await navigate({ to: '/offers' });
    },
    undo: ({ id }) => call('POST /offers/{id}/restore', { params: { id } }),
    of: ({ id }) => `offer ${id}`,
    text: ({ title }) => said.deleted(title),
    keys: [['offers']],
  });
  return { remove: () => card && mutate(card), isPending };
}
