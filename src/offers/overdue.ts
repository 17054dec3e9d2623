import type { Tenant } from '../db/tenant.ts';
import { findTimeZone } from '../workspaces/store.ts';
import type { Card } from './card-schema.ts';
import type { StoredCard } from './cards.ts';

/**
 * Reads when today began in the time zone of the workspace. Node computes it, because PostgreSQL may not know every
 * time zone that Node knows.
 * @returns a function that adds to a card whether its task is overdue; a task without a time is overdue once its day
 * has ended
 * @throws {DatabaseUnavailable}
 */
export async function readOverdue(tenant: Tenant): Promise<(card: StoredCard) => Card> {
  const { time_zone, now } = (await tenant.row(findTimeZone, {}))!;
  const time = Temporal.Instant.from(now).toZonedDateTimeISO(time_zone);
  const today = time.startOfDay();
  return ({ next_task: task, ...card }) => {
    if (!task) return { ...card, next_task: null };
    const { epochMilliseconds } = task.has_time_specified ? time : today;
    return { ...card, next_task: { ...task, overdue: Date.parse(task.due_date) < epochMilliseconds } };
  };
}
