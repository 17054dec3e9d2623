import type { Words } from '../db/search.ts';

/** Words of titles: what tasks are searched by. */
export const taskWords: Words = { table: 'task_words', owner: 'task_id' };
