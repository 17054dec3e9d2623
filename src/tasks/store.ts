import { sql } from 'kysely';
import { insertedColumns, patchedColumns, type PatchParameters } from '../db/columns.ts';
import { builder, statement } from '../db/statement.ts';
import {
  TASK_CHANGEABLE,
  TASK_COLUMNS,
  TASK_CREATED,
  type TaskCreate,
  type TasksTable,
  type TaskUpdate,
} from './schema.ts';

const query = builder<{ tasks: TasksTable }>();

/** The contract shows `updated_at` without a zone: as a timestamp without time zone PostgreSQL writes none. */
const columns = TASK_COLUMNS.map((column) =>
  column === 'updated_at' ? sql<string>`updated_at at time zone 'UTC'`.as('updated_at') : column,
);

export const findTask = statement('find task', (p: { tenant: string; id: string }) =>
  query.selectFrom('tasks').where('tenant_id', '=', p.tenant).where('id', '=', p.id).select(columns),
);

/** Nothing comes back when the workspace has used the id. */
export const insertTask = statement('insert task', (p: Required<TaskCreate> & { tenant: string }) =>
  query
    .insertInto('tasks')
    .values({
      ...insertedColumns(TASK_CREATED, p),
      tenant_id: p.tenant,
    })
    .onConflict((conflict) => conflict.columns(['tenant_id', 'id']).doNothing())
    .returning(columns),
);

export const updateTask = statement(
  'update task',
  (p: PatchParameters<Required<TaskUpdate>> & { tenant: string; id: string }) =>
    query
      .updateTable('tasks')
      .set({ ...patchedColumns(TASK_CHANGEABLE, p), updated_at: sql`now()` })
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', p.id)
      .returning(columns),
);
