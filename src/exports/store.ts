import { sql } from 'kysely';
import { reading } from '../db/statement.ts';
import { SHOWN } from '../members/shown.ts';

/** Members of today and of before. */
export const findPeopleNames = reading(
  'find names of people',
  (p: { tenant: string; ids: readonly string[] }) => sql<{ id: string; name: string }>`
    select u.id, ${SHOWN.name} as name
    from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${p.tenant} and m.user_id = any(${p.ids}::uuid[])`,
);

/** Deleted companies too: what refers to them stays. */
export const findCompanyNames = reading(
  'find names of companies',
  (p: { tenant: string; ids: readonly string[] }) => sql<{ id: string; orgnr: string; name: string }>`
    select id, orgnr, name from companies where tenant_id = ${p.tenant} and id = any(${p.ids}::uuid[])`,
);

export const findTimeZone = reading(
  'find time zone',
  (p: { tenant: string }) => sql<{ time_zone: string }>`
    select time_zone from workspaces where id = ${p.tenant}`,
);
