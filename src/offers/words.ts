import type { Words } from '../db/search.ts';

/** The words that offers are searched by: of titles. */
export const offerWords: Words = { table: 'offer_words', owner: 'offer_id' };
