import type { Generated } from 'kysely';
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
  query.selectFrom('workspaces').where('id', '=', p.id).select('id'),
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
