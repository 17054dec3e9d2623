import { sql } from 'kysely';
import { CommandError } from '../cli/output.ts';
import type { Queryable } from '../db/connect.ts';
import { statement } from '../db/statement.ts';

export const insertWorkspace = statement(
  'insert workspace',
  (p: { id: string; name: string }) => sql<{ id: string }>`
    insert into workspaces (id, name) values (${p.id}, ${p.name}) returning id`,
);

/** What the application shows of a workspace. */
type Workspace = { id: string; name: string; language: 'nb' | 'en'; time_zone: string };

const findWorkspace = statement(
  'find workspace',
  (p: { id: string }) =>
    sql<Workspace>`select id, name, language, time_zone from workspaces where id = ${p.id}`,
);

/** The workspace that a command names. @throws {CommandError} when there is none */
export async function requireWorkspace(db: Queryable, id: string): Promise<Workspace> {
  const found = await db.row(findWorkspace, { id });
  if (!found) throw new CommandError(`There is no workspace ${id}: see kundebok workspace list`);
  return found;
}

/** Sets what is not null. */
export const changeWorkspace = statement(
  'change workspace',
  (p: { tenant: string; name: string | null; language: string | null; time_zone: string | null }) =>
    sql<Workspace>`
      update workspaces set name = coalesce(${p.name}, name), language = coalesce(${p.language}, language),
        time_zone = coalesce(${p.time_zone}, time_zone)
      where id = ${p.tenant} returning id, name, language, time_zone`,
);

/** A new workspace with the settings of another; no row where the id is used. */
export const copyWorkspace = statement(
  'copy workspace',
  (p: { tenant: string; id: string; name: string }) => sql<Workspace>`
    insert into workspaces as w (id, name, language, time_zone)
    select ${p.id}::uuid, ${p.name}::text, language, time_zone from workspaces where id = ${p.tenant}
    on conflict (id) do nothing
    returning w.id, w.name, w.language, w.time_zone`,
);

/** The time zone of a workspace's days, and the time by PostgreSQL's clock, which all processes share. */
export const findTimeZone = statement(
  'find time zone',
  (p: { tenant: string }) => sql<{ time_zone: string; now: string }>`
    select time_zone, now() as now from workspaces where id = ${p.tenant}`,
);

/** Every workspace of the installation, oldest first. */
export const listWorkspaces = statement(
  'list workspaces',
  () => sql<{ workspace_id: string; name: string; created_at: string }>`
    select id as workspace_id, name, created_at from workspaces order by created_at, id`,
);
