import type { Words } from '../db/search.ts';

/** The words that companies are searched by: of names and organisation numbers. */
export const companyWords: Words = { table: 'company_words', owner: 'company_id', rows: 'companies' };
