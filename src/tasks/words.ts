import type { Words } from '../db/search.ts';

/** The words that tasks are searched by: of titles. */
export const taskWords: Words = { table: 'task_words', owner: 'task_id' };
