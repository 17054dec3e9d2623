import { deletionOf } from '../changes/deletion.ts';
import { taskAnswer, taskParams } from './schema.ts';
import { deleteTask, findTask, restoreTask } from './store.ts';

export const { remove: removeTask, bringBack: bringBackTask } = deletionOf('a Task', {
  params: taskParams,
  shown: taskAnswer,
  find: findTask,
  delete: deleteTask,
  restore: restoreTask,
});
