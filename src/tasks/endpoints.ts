import { newId } from '../db/new-id.ts';
import { patchParameters } from '../db/columns.ts';
import { missed, requireMatch } from '../http/conditional.ts';
import { answer, answerOne, operation } from '../http/endpoint.ts';
import { listPage } from '../http/listed.ts';
import { found, idAlreadyUsed } from '../http/problem.ts';
import { requiringUnusedId } from '../changes/used-ids.ts';
import { checkReferences } from '../companies/references.ts';
import { taskList } from './list.ts';
import {
  TASK_CHANGEABLE,
  taskAnswer,
  taskCreate,
  taskParams,
  taskUpdate,
  tasksAnswer,
  tasksQuery,
} from './schema.ts';
import { findTask, insertTask, updateTask } from './store.ts';

const requireUnused = requiringUnusedId('task', 'a task');

export const postTask = operation({
  operationId: 'createTask',
  summary: 'Create a task',
  description:
    'Supply an `id` to be able to repeat the request after a timeout: 409 then means that the earlier one succeeded.',
  tag: 'Tasks',
  body: taskCreate,
  outcomes: { 201: 'The task was created.' },
  answers: { 201: taskAnswer },
  etag: true,
  fails: ['invalid_reference', 'id_already_used'],
  async handle({ body, tenant }) {
    const id = body.id ?? newId();
    if (body.id) await requireUnused(tenant, id);
    await checkReferences(tenant, body);
    const data = await tenant.row(insertTask, { ...body, id });
    if (!data) {
      const isGone = (await tenant.row(findTask, { id })) === undefined;
      throw idAlreadyUsed(isGone ? 'a deleted task' : 'a task', id, { isGone });
    }
    return answerOne(201, data);
  },
});

export const getTasks = operation({
  operationId: 'listTasks',
  summary: 'List tasks',
  description:
    'All tasks of the workspace, or those that match the filters: a user’s open tasks by due date are `?user_id=…&completed=false&sort=due_date`. Continue with `cursor` while `page.next_cursor` is not null; a late page costs as much as the first.',
  tag: 'Tasks',
  query: tasksQuery,
  outcomes: { 200: 'A page of tasks; empty when none matches.' },
  answers: { 200: tasksAnswer },
  fails: [],
  addition: true,
  async handle({ query: { limit, cursor, sort, ...filters }, tenant }) {
    return answer(200, await listPage(taskList, tenant, { limit, cursor, sort }, filters));
  },
});

export const getTask = operation({
  operationId: 'getTask',
  summary: 'Read a task',
  description: 'Use it also after a 409 on creation, to check the earlier request.',
  tag: 'Tasks',
  params: taskParams,
  outcomes: { 200: 'The task.' },
  answers: { 200: taskAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    return answerOne(200, found(await tenant.row(findTask, { id }), `Task ${id}`));
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
  etag: true,
  fails: ['not_found', 'invalid_reference'],
  async handle({ params: { id }, body, tenant, match }) {
    if (body.user_id || body.related_company_id) {
      const { etag } = found(await tenant.row(findTask, { id }), `Task ${id}`);
      requireMatch(etag, match, `Task ${id}`);
      await checkReferences(tenant, body);
    }
    const change = { ...patchParameters(TASK_CHANGEABLE, body), id, if_match: match };
    const data = await tenant.row(updateTask, change);
    if (data) return answerOne(200, data);
    found(await tenant.row(findTask, { id }), `Task ${id}`);
    throw missed(match, `Task ${id}`);
  },
});
