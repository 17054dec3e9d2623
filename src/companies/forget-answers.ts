import { sql } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { reading, statement } from '../db/statement.ts';

/** Few enough to be read well within the time limit of a statement. */
export const PAGE = 1_000;

/** The last key of the next page of a workspace's answers; no row when there are none. Reads no bodies. */
export const findEnd = reading(
  undefined,
  (p: { tenant: string; scope: string; key: string }) => sql<{ scope: string; key: string }>`
    select scope, idempotency_key as key from (
      select scope, idempotency_key from remembered_answers
      where tenant_id = ${p.tenant} and (scope, idempotency_key) > (${p.scope}, ${p.key})
      order by scope, idempotency_key limit ${sql.lit(PAGE)}) as page
    order by scope desc, idempotency_key desc limit 1`,
);

type Page = { tenant: string; scope: string; key: string; until_scope: string; until_key: string };

/** An answer shows one company at most. It is found without an index, which would cost every write. */
export const forgetPage = statement(
  'forget companies in remembered answers',
  (p: Page & { orgnrs: readonly string[] }) => sql<{ status: number }>`
    update remembered_answers set fingerprint = null, body = null
    where tenant_id = ${p.tenant} and (scope, idempotency_key) > (${p.scope}, ${p.key})
      and (scope, idempotency_key) <= (${p.until_scope}, ${p.until_key}) and contact_id is null
      and substr(body, strpos(body, '"orgnr":"') + 9, 9) = any(${p.orgnrs}::text[])
    returning status`,
);

/** Empties the remembered answers of a workspace that show these companies, a page at a time. */
export async function forgetAnswers(
  transaction: Queryable,
  companies: { tenant: string; orgnrs: readonly string[] },
): Promise<void> {
  const { tenant } = companies;
  for (let place = { scope: '', key: '' }; ;) {
    const end = await transaction.row(findEnd, { tenant, ...place });
    if (!end) return;
    const until = { until_scope: end.scope, until_key: end.key };
    await transaction.rows(forgetPage, { ...companies, ...place, ...until });
    place = end;
  }
}
