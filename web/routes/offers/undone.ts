import { call } from '../../client/call.ts';
import { isConflict } from '../../client/problem.ts';
import type { Card } from './board-data.ts';

/**
 * The offer as it is, where undoing was refused because an earlier try had undone it, whose answer was lost.
 * @param wanted what undoing sets
 */
export async function readUndone(
  failure: unknown,
  { id, status, weight }: Pick<Card, 'id' | 'status' | 'weight'>,
): Promise<Card | undefined> {
  if (!isConflict(failure)) return undefined;
  const answer = await call('GET /offers/{id}/card', { params: { id } }).catch(() => undefined);
  const card = answer?.data.data;
  return card?.status === status && card.weight === weight ? card : undefined;
}
