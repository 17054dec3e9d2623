import { sql } from 'kysely';
import { statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { idAlreadyUsed } from '../http/problem.ts';

/**
 * Makes a function that refuses an id which the workspace has used, also for a row that has since been deleted.
 * @returns the function, which throws {Problem} id_already_used
 */
export function requiringUnusedId(resource: 'task' | 'offer', named: `${'a' | 'an'} ${string}`) {
  const findUse = statement(
    `find use of ${resource} id`,
    (p: { tenant: string; id: string }) => sql<{ is_there: boolean; is_gone: boolean }>`
      select
        exists (select from ${sql.table(`${resource}s`)} where tenant_id = ${p.tenant} and id = ${p.id}::uuid) as is_there,
        exists (select from deleted_rows
          where tenant_id = ${p.tenant} and resource = ${sql.lit(resource)} and id = ${p.id}::uuid::text) as is_gone`,
  );
  return async (tenant: Tenant, id: string): Promise<void> => {
    const { is_there, is_gone } = (await tenant.row(findUse, { id }))!;
    if (is_there) throw idAlreadyUsed(named, id);
    if (is_gone) throw idAlreadyUsed(`a deleted ${resource}`, id, { isGone: true });
  };
}
