import type { QueryClient } from '@tanstack/react-query';
import type { Card, OfferStatus } from '../../../src/offers/card-schema.ts';
import type { CallResult } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';

type Board = CallResult<'GET /offers/board'>;
export type BoardColumn = Board['data']['data'][number];
export type { Card, OfferStatus };

export const STATUSES = ['new', 'sent', 'negotiating', 'accepted', 'rejected'] as const;

/** Cards of a column: at first, and after "Show more". The list has the rest. */
export const FEW = 50;
export const MANY = 100;

export const boardQuery = (user: string | undefined, limit: number) =>
  queryOf('GET /offers/board', { query: { limit: String(limit), ...(user ? { user_id: user } : {}) } });

export const sumsQuery = (user?: string) =>
  queryOf('GET /offers/sums', user ? { query: { user_id: user } } : { query: {} });

/** Shows a card as it is now in every board that has been read. */
export function showCard(client: QueryClient, card: Card): void {
  client.setQueriesData<Board>({ queryKey: ['offers', 'GET /offers/board'] }, (board) =>
    board ? { ...board, data: { data: place(board.data.data, card) } } : board,
  );
}

/**
 * Puts the card where the service would: by when its company's next task is due, then by the time in the status. Open
 * offers begin with the longest time, closed ones with the shortest.
 */
function place(columns: BoardColumn[], card: Card): BoardColumn[] {
  return columns.map((column) => {
    const others = column.cards.filter(({ id }) => id !== card.id);
    if (column.status !== card.status) return { ...column, cards: others };
    const at = others.findIndex((other) => comesBefore(card, other));
    return { ...column, cards: others.toSpliced(at === -1 ? others.length : at, 0, card) };
  });
}

function comesBefore(one: Card, other: Card): boolean {
  const [due, otherDue] = [dueOf(one), dueOf(other)];
  if (due !== otherDue) return due < otherDue;
  const isOlder = one.status_since < other.status_since;
  return isClosed(one.status) ? !isOlder : isOlder;
}

export function isClosed(status: OfferStatus): boolean {
  return status === 'accepted' || status === 'rejected';
}

const dueOf = ({ next_task }: Card) => next_task?.due_date ?? '9999';
