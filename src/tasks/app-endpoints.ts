import { answer, answerOne, noContent, operation } from '../http/endpoint.ts';
import { found, notFound, preconditionFailed } from '../http/problem.ts';
import { taskAnswer, taskParams } from './schema.ts';
import { deleteTask, findTask, restoreTask } from './store.ts';

export const removeTask = operation({
  operationId: 'deleteTask',
  summary: 'Delete a task',
  description: 'It can be restored; its id stays used.',
  params: taskParams,
  answers: { 204: noContent },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { id }, tenant, match }) {
    if (await tenant.row(deleteTask, { id, if_match: match })) return answer(204, undefined);
    if (await tenant.row(findTask, { id })) throw preconditionFailed(`Task ${id}`);
    throw notFound(`Task ${id}`);
  },
});

export const bringBackTask = operation({
  operationId: 'restoreTask',
  summary: 'Restore a deleted task',
  description: 'As it was. One that is there already stays as it is.',
  params: taskParams,
  answers: { 200: taskAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { id }, tenant }) {
    const task = (await tenant.row(restoreTask, { id })) ?? (await tenant.row(findTask, { id }));
    return answerOne(200, found(task, `Task ${id}`));
  },
});
