import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { OfferHistoryEntry } from '../../../src/offers/history.ts';
import { call } from '../../client/call.ts';
import { CallProblem } from '../../client/problem.ts';
import { showUnanswered } from '../../client/unanswered.ts';
import { offerAgain } from '../../client/undo.ts';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { showCard, type Card, type OfferStatus } from './board-data.ts';
import { focusCard, keepFocus } from './focus-card.ts';
import { readUndone } from './undone.ts';
import { offerWords } from './words.ts';

/** How long a card says what somebody else did to it. */
const NOTE_MS = 30_000;

/** For undoing a move: the weight before it, and a function that tries again if undoing failed. */
type Undo = { weight: number; again: () => void };

/** Moves of one card wait for each other: the second is based on the state that the first left, even if it failed. */
const running = new Map<string, Promise<Card>>();

/**
 * Moves offers, shown at once. When somebody else was first, the card shows what they did and says so; any other
 * failure puts it back.
 */
export function useMove() {
  const client = useQueryClient();
  const toast = useToast();
  const words = useWords(offerWords);
  const { offerStatus } = useWords(shared);
  const problemText = useProblemText();
  const explain = useExplanation();
  const [notes, setNotes] = useState<Readonly<Record<string, string>>>({});

  const note = (id: string, text: string | undefined) =>
    setNotes(({ [id]: _old, ...others }) => (text === undefined ? others : { ...others, [id]: text }));

  const send = async (card: Card, status: OfferStatus, undo?: Undo): Promise<Card | undefined> => {
    const { weight } = undo ?? {};
    const now = new Date().toISOString();
    const shown = {
      ...card,
      status,
      status_since: now,
      weight: status === 'accepted' ? 100 : (weight ?? card.weight),
    };
    note(card.id, undefined);
    await client.cancelQueries({ queryKey: ['offers', 'GET /offers/board'] });
    const end = keepFocus(card.id, () => showUnanswered(() => showCard(client, shown)));
    try {
      const { data, etag = '' } = await call('PATCH /offers/{id}', {
        params: { id: card.id },
        body: { status, ...(weight === undefined ? {} : { weight }) },
        ifMatch: `"${card.etag}"`,
      });
      end();
      const moved = { ...shown, ...data.data, etag: etag.replaceAll('"', '') };
      showCard(client, moved);
      return moved;
    } catch (error) {
      end();
      const undone = undo && (await readUndone(error, shown));
      keepFocus(card.id, () => showCard(client, undone ?? card));
      if (undone) return undone;
      const text = isOvertaken(error) ? await explain(card.id) : undefined;
      if (text !== undefined) {
        note(card.id, text);
        setTimeout(() => note(card.id, undefined), NOTE_MS);
      }
      const again = undo && offerAgain(error, `offer ${card.id}`, undo.again);
      toast({ text: `${card.title}: ${text ?? problemText(error)}`, kind: 'failed', ...again });
      return undefined;
    } finally {
      void client.invalidateQueries({ queryKey: ['offers'] });
    }
  };

  const inOrder = (card: Card, status: OfferStatus, undo?: Undo) => {
    const before = running.get(card.id);
    const next = (async () => {
      const from = (await before) ?? card;
      return { from, moved: await send(from, status, undo) };
    })();
    const left = next.then(({ from, moved = from }) => moved);
    running.set(card.id, left);
    void left.finally(() => {
      if (running.get(card.id) === left) running.delete(card.id);
    });
    return next;
  };

  const move = async (card: Card, status: OfferStatus) => {
    if (card.status === status) return;
    const { from, moved } = await inOrder(card, status);
    if (!moved) return;
    const onUndo = () => {
      focusCard(card.id);
      void inOrder(moved, from.status, { weight: from.weight, again: onUndo });
    };
    toast({
      text: status === 'accepted' ? words.accepted(card.title) : words.moved(card.title, offerStatus[status]),
      of: [`offer ${card.id}`],
      onUndo,
    });
  };
  return { move, notes };
}

function isOvertaken(error: unknown): boolean {
  return error instanceof CallProblem && [404, 409, 412].includes(error.status);
}

/** Fetches what happened to an offer meanwhile, shows it, and says it in a sentence. */
function useExplanation() {
  const client = useQueryClient();
  const words = useWords(offerWords);
  const { offerStatus } = useWords(shared);
  const nameOf = ({ kind, name }: OfferHistoryEntry['actor']) => {
    if (kind === 'user') return name ?? words.somebody;
    return kind === 'key' ? (name ? words.keyNamed(name) : words.aKey) : words.operator;
  };
  return async (id: string): Promise<string | undefined> => {
    try {
      const { data } = await call('GET /offers/{id}/history', { params: { id } });
      const [newest] = data.data;
      if (!newest || newest.action === 'deleted') return words.deletedMeanwhile;
      const { data: current } = await call('GET /offers/{id}/card', { params: { id } });
      keepFocus(id, () => showCard(client, current.data));
      const [from, to] = (newest.values['status'] ?? []) as OfferStatus[];
      return from && to
        ? words.movedMeanwhile(nameOf(newest.actor), offerStatus[from], offerStatus[to])
        : words.changedMeanwhile(nameOf(newest.actor));
    } catch (error) {
      if (error instanceof CallProblem && error.status === 404) return words.deletedMeanwhile;
      // The failed move is reported without the explanation; the board shows the change when it is read again.
      return undefined;
    }
  };
}
