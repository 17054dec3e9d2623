import type { Words } from '../db/search.ts';

/** Words of titles: what offers are searched by. */
export const offerWords: Words = { table: 'offer_words', owner: 'offer_id' };
