import { sql, type Generated } from 'kysely';
import { builder, statement } from '../db/statement.ts';

type WorkspacesTable = {
  id: string;
  name: string;
  time_zone: Generated<string>;
  created_at: Generated<string>;
};

const query = builder<{ workspaces: WorkspacesTable }>();

export const insertWorkspace = statement('insert workspace', (p: { id: string; name: string }) =>
  query.insertInto('workspaces').values({ id: p.id, name: p.name }).returning('id'),
);

export const findWorkspace = statement('find workspace', (p: { id: string }) =>
  query.selectFrom('workspaces').where('id', '=', p.id).select(['id', 'name']),
);

/** What the application shows of a workspace. */
type Workspace = { id: string; name: string; language: 'nb' | 'en'; time_zone: string };

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

/** Where its days begin and end. */
export const findTimeZone = statement('find time zone', (p: { tenant: string }) =>
  query.selectFrom('workspaces').where('id', '=', p.tenant).select('time_zone'),
);

/** Every workspace, oldest first: for the operator's command line. */
export const listWorkspaces = statement('list workspaces', () =>
  query
    .selectFrom('workspaces')
    .select(['id as workspace_id', 'name', 'created_at'])
    .orderBy('created_at')
    .orderBy('id'),
);
