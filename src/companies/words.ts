import type { Words } from '../db/search.ts';

/** Words of names and organisation numbers: what companies are searched by. */
export const companyWords: Words = { table: 'company_words', owner: 'company_id' };
