import { sql } from 'kysely';
import { byUpdate, updatedSinceOf } from '../db/listing-range.ts';
import type { Listing } from '../db/listing-shape.ts';
import { hasWords, searchSieve } from '../db/search.ts';
import { OFFER_COLUMNS, type Offer } from './schema.ts';
import { offerWords } from './store.ts';

const table = 'offers';

const search = searchSieve(offerWords, (p) => hasWords(p['q'], null));

export const offerList: Listing<Offer> = {
  title: 'offers',
  table,
  columns: () => OFFER_COLUMNS.map((column) => sql.ref(column)),
  id: 'uuid',
  longText: ({ description }) => description,
  sorts: byUpdate,
  equal: {
    user_id: (id) => sql`t.user_id = ${id}`,
    company_id: (id) => sql`t.company_id = ${id}`,
    status: (status) => sql`t.status = ${status}`,
  },
  sieves: { q: search, updated_since: updatedSinceOf({ table }) },
};
