import { sql, type SqlBool } from 'kysely';
import { byUpdate, updatedSinceOf, withUpdate } from '../db/listing-range.ts';
import type { Listing } from '../db/listing-shape.ts';
import { hasWords, numberIn, searchSieve } from '../db/search.ts';
import { COMPANY_COLUMNS, type Company } from './schema.ts';
import { companyWords, NOBODY } from './store.ts';

const live = { table: 'companies', always: sql<SqlBool>`not t.is_deleted` };

const search = searchSieve(companyWords, (p) => hasWords(p['q'], p['q_number']));

export const companyList: Listing<Company> = {
  title: 'companies',
  ...live,
  columns: () => COMPANY_COLUMNS.map((column) => sql.ref(column)),
  id: 'uuid',
  sorts: { name: { by: sql`(t.name collate "nb-NO-x-icu")`, type: 'text' }, ...byUpdate },
  equal: {
    status: (status) => sql`t.status = ${status}`,
    assigned_to: (id) => sql`coalesce(t.assigned_to, ${NOBODY}) = ${id}`,
    unassigned: () => sql`coalesce(t.assigned_to, ${NOBODY}) = ${NOBODY}`,
    archived: (value) => sql`t.is_archived = ${value}`,
  },
  sieves: { q: search, updated_since: updatedSinceOf(live, sql`t.is_archived in (false, true)`) },
  split: 'archived',
};

/** Deleted companies. They are few, so a filter may scan them all. */
const deletedCompanyList: Listing<Company> = {
  title: 'deleted companies',
  table: 'companies',
  always: sql<SqlBool>`t.is_deleted`,
  columns: companyList.columns,
  id: 'uuid',
  sorts: companyList.sorts,
  equal: companyList.equal,
  sieves: { q: search },
};

/** The lists for the application, which also shows `updated_at`. */
export const companyRows = withUpdate(companyList);
export const deletedCompanyRows = withUpdate(deletedCompanyList);

type Filters = { q?: string | undefined; assigned_to?: string | undefined };

/** The filters of a query, in the form of the lists. */
export function filtersOf({ assigned_to, ...rest }: Filters): Record<string, unknown> {
  const assigned = assigned_to === 'none' ? { unassigned: true } : { assigned_to };
  return { ...assigned, ...rest, ...(rest.q && { q_number: numberIn(rest.q) }) };
}
