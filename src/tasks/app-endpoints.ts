import { deletionOf } from '../changes/deletion.ts';
import { taskAnswer, taskParams } from './schema.ts';
import { findTask, taskDeletion } from './store.ts';

export const { deleteOne: deleteTask, restoreOne: restoreTask } = deletionOf('a Task', {
  params: taskParams,
  shown: taskAnswer,
  find: findTask,
  ...taskDeletion,
});
