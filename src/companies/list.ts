import { sql, type SqlBool } from 'kysely';
import { byUpdate, updatedSinceOf } from '../db/listing-range.ts';
import type { Listing } from '../db/listing-statement.ts';
import { hasWords, searchSieve } from '../db/search.ts';
import { companyWords } from './words.ts';
import { COMPANY_COLUMNS, type Company } from './schema.ts';

/** Stands in the index for nobody; no UUID that a caller can send. */
const NOBODY = sql.lit('00000000-0000-0000-0000-000000000001');

const live = { table: 'companies', always: sql<SqlBool>`not t.is_deleted` };

const search = searchSieve(companyWords, (p) => hasWords(p['q'], p['q_number']));

export const companyList: Listing<Company> = {
  title: 'companies',
  ...live,
  columns: COMPANY_COLUMNS.map((column) => sql.ref(column)),
  id: 'uuid',
  sorts: { name: { by: sql`(t.name collate "nb-NO-x-icu")`, type: 'text' }, ...byUpdate },
  equal: {
    status: (status) => sql`t.status = ${status}`,
    assigned_to: (id) => sql`coalesce(t.assigned_to, ${NOBODY}) = ${id}`,
    unassigned: () => sql`coalesce(t.assigned_to, ${NOBODY}) = ${NOBODY}`,
    archived: (value) => sql`t.is_archived = ${value}`,
  },
  sieves: { q: search, updated_since: updatedSinceOf(live, sql`t.is_archived in (false, true)`) },
  split: { filter: 'archived', values: [false, true] },
};
