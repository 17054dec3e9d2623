import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Condition } from './listing-shape.ts';

/**
 * Columns of the next rows of a list, at most `reach` of them: whether each passes the checks, and the id of the last
 * one if there are `reach`. The statement keeps its limit, so that PostgreSQL can plan to read no more than the
 * page needs. It returns the rows, too: a row that came or went before a second statement would move the end.
 * @param order of these rows
 */
export function marksOf(order: RawBuilder<unknown>, checks: readonly Condition[], reach: unknown) {
  const isMatch = checks.length === 0 ? sql`true` : sql.join(checks, sql` and `);
  return sql`, ${isMatch} as is_match, case when row_number() over (order by ${order}) = ${reach} then t.id end as end_id`;
}

/** Whether a row with these marks is one of those that a step returns. */
export const IS_RETURNED = sql<SqlBool>`(t.is_match or t.end_id is not null)`;
