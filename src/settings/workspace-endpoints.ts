import type { Database } from '../db/connect.ts';
import { newId } from '../db/new-id.ts';
import { answer, operation } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { endResets, lockPerson } from '../members/link-store.ts';
import { insertMembership, NOT_INVITED } from '../members/store.ts';
import { joinWorkspace } from '../sessions/store.ts';
import { workspaceAnswer, workspaceCreate, workspaceUpdate } from '../workspaces/schema.ts';
import { changeWorkspace, copyWorkspace } from '../workspaces/store.ts';

export const patchWorkspace = operation({
  operationId: 'changeWorkspace',
  summary: 'Change name, language or time zone of the workspace',
  description: 'Only supplied fields change.',
  body: workspaceUpdate,
  answers: { 200: workspaceAnswer },
  fails: [],
  async handle({ body: { name = null, language = null, time_zone = null }, tenant }) {
    return answer(200, { data: (await tenant.row(changeWorkspace, { name, language, time_zone }))! });
  },
});

export const postWorkspace = (db: Database) =>
  operation({
    operationId: 'createWorkspace',
    summary: 'Create another workspace',
    description: 'Whoever creates it is its owner. Language and time zone are those of the current one.',
    body: workspaceCreate,
    answers: { 201: workspaceAnswer },
    fails: ['id_already_used'],
    unrepeatable: true,
    async handle({ body: { id = newId(), name }, caller: { userId: user_id }, tenant }) {
      const data = await db.transaction(async (transaction) => {
        const created = await transaction.row(copyWorkspace, { tenant: tenant.id, id, name });
        if (!created) throw new Problem('id_already_used', `Another workspace has the id ${id}`);
        // Locked before the membership, which nobody else can lock yet: two requests of one person take turns.
        await transaction.row(lockPerson, { user_id });
        await transaction.row(insertMembership, { ...NOT_INVITED, tenant: id, user_id, role: 'owner' });
        await transaction.row(joinWorkspace, { tenant_id: id, user_id });
        // A password link made since the transaction began looks newer than the membership, and would stay valid.
        await transaction.rows(endResets, { user_id });
        return created;
      });
      return answer(201, { data });
    },
  });
