import { call } from '../../client/call.ts';
import { isConflict } from '../../client/problem.ts';
import type { Card } from './board-data.ts';

/**
 * The offer as it is now, if undoing was refused only because an earlier try, whose answer was lost, had succeeded.
 * @param wanted the values that undoing sets
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
