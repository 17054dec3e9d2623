import { sql, type RawBuilder } from 'kysely';
import { statement } from '../db/statement.ts';

/** The highest count of a group: a count never reads more of an index. */
export const MAX_COUNTED = 1_000;

type Counted = {
  tenant: string;
  due_from: readonly (string | null)[];
  due_before: readonly (string | null)[];
};
type Count = { place: number; count: number };

/** Open tasks of a person in each range, in the order of the ranges, and last the completed ones. */
export const countOwnTasks = statement('count own tasks', (p: Counted & { user_id: string }) =>
  counts(p, sql`user_id = ${p.user_id}::uuid and`),
);

export const countAllTasks = statement('count all tasks', (p: Counted) => counts(p, sql``));

function counts(p: Counted, whose: RawBuilder<unknown>): RawBuilder<Count> {
  const most = sql.lit(MAX_COUNTED + 1);
  return sql<Count>`
    select range.place::integer as place, (
      select count(*) from (
        select from tasks where tenant_id = ${p.tenant} and ${whose} completed = false
          and due_date >= coalesce(range.due_from, '-infinity') and due_date < coalesce(range.due_before, 'infinity')
        limit ${most}) as found)::integer as count
    from unnest(${p.due_from}::timestamptz[], ${p.due_before}::timestamptz[]) with ordinality
      as range (due_from, due_before, place)
    union all
    select cardinality(${p.due_from}::timestamptz[]) + 1, (
      select count(*) from (
        select from tasks where tenant_id = ${p.tenant} and ${whose} completed = true limit ${most}) as found)::integer
    order by place`;
}
