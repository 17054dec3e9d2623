import { newId } from '../db/new-id.ts';
import { patchParameters } from '../db/columns.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { idAlreadyUsed, notFound } from '../http/problem.ts';
import { checkReferences } from '../companies/references.ts';
import { TASK_CHANGEABLE, taskAnswer, taskCreate, taskParams, taskUpdate, type Task } from './schema.ts';
import { findTask, insertTask, updateTask } from './store.ts';

export const postTask = operation({
  operationId: 'createTask',
  summary: 'Create a task',
  description:
    'Supply an `id` to be able to repeat the request after a timeout: 409 then means that the earlier one succeeded.',
  tag: 'Tasks',
  body: taskCreate,
  outcomes: { 201: 'The task was created.' },
  answers: { 201: taskAnswer },
  fails: ['invalid_reference', 'id_already_used'],
  async handle({ body, tenant }) {
    const id = body.id ?? newId();
    if (body.id && (await tenant.row(findTask, { id }))) throw idAlreadyUsed('a task', id);
    await checkTaskReferences(tenant, body);
    const data = await tenant.row(insertTask, { ...body, id });
    if (!data) throw idAlreadyUsed('a task', id);
    return answer(201, { data });
  },
});

export const getTask = operation({
  operationId: 'getTask',
  summary: 'Read a task',
  description: 'Also after a 409 on creation, to check the earlier request.',
  tag: 'Tasks',
  params: taskParams,
  outcomes: { 200: 'The task.' },
  answers: { 200: taskAnswer },
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    return answer(200, { data: await requireTask(tenant, id) });
  },
});

export const patchTask = operation({
  operationId: 'updateTask',
  summary: 'Change or complete a task',
  description:
    'Only supplied fields change. `related_company_id: null` detaches the company; `completed: true` marks the task complete.',
  tag: 'Tasks',
  params: taskParams,
  body: taskUpdate,
  outcomes: { 200: 'The task as it is now.' },
  answers: { 200: taskAnswer },
  fails: ['not_found', 'invalid_reference'],
  async handle({ params: { id }, body, tenant }) {
    const changesNothing = Object.keys(body).length === 0;
    if (changesNothing || body.user_id || body.related_company_id) {
      const data = await requireTask(tenant, id);
      if (changesNothing) return answer(200, { data });
      await checkTaskReferences(tenant, body);
    }
    const data = await tenant.row(updateTask, { ...patchParameters(TASK_CHANGEABLE, body), id });
    if (!data) throw notFound(`Task ${id}`);
    return answer(200, { data });
  },
});

async function requireTask(tenant: Tenant, id: string): Promise<Task> {
  const task = await tenant.row(findTask, { id });
  if (!task) throw notFound(`Task ${id}`);
  return task;
}

function checkTaskReferences(
  tenant: Tenant,
  body: { user_id?: string; related_company_id?: string | null },
): Promise<void> {
  return checkReferences(tenant, {
    user: ['user_id', body.user_id],
    company: ['related_company_id', body.related_company_id],
  });
}
