import { sql, type SqlBool } from 'kysely';
import { byUpdate, updatedSinceOf, withUpdate } from '../db/listing-range.ts';
import type { Listing, Sieve } from '../db/listing-shape.ts';
import { hasWords, numberIn, searchSieve } from '../db/search.ts';
import { CONTACT_COLUMNS, type Contact } from './schema.ts';
import { contactWords } from './words.ts';

const live = { table: 'contacts', always: sql<SqlBool>`t.erased_at is null` };

// Checks are subqueries with a limit: for an `exists`, PostgreSQL may build a hash table of all rows.
const email: Sieve = {
  check: (p) => sql<SqlBool>`(
    select true from contact_points as p
    where p.tenant_id = ${p['tenant']} and p.contact_id = t.id and p.type = 'email'
      and p.word = point_word('email', ${p['email']}) limit 1)`,
  matches: (p) => sql`select w.contact_id as id from contact_words as w
    where w.tenant_id = ${p['tenant']} and w.word = point_word('email', ${p['email']}) collate "C"`,
  checksId: true,
};

const company: Sieve = {
  check: (p) => sql<SqlBool>`(
    select true from contact_companies as l
    where l.tenant_id = ${p['tenant']} and l.contact_id = t.id and l.company_id = ${p['company_id']} limit 1)`,
  matches: (p) => sql`select l.contact_id as id from contact_companies as l
    where l.tenant_id = ${p['tenant']} and l.company_id = ${p['company_id']}`,
  checksId: true,
  ordered: {
    matches: (p) => sql`
      select l.contact_id as id, l.contact_name as name, l.contact_updated_at as updated_at from contact_companies as l
      where l.tenant_id = ${p['tenant']} and l.company_id = ${p['company_id']}
        and l.contact_name is not null and l.contact_updated_at is not null`,
    elsewhere: (p) => sql`
      select l.contact_id as id from contact_companies as l
      where l.tenant_id = ${p['tenant']} and l.company_id = ${p['company_id']} and l.contact_updated_at is null
      union all
      select c.id from contacts as c
      where c.tenant_id = ${p['tenant']} and c.ordered_version <> c.version and c.erased_at is null`,
  },
};

const search = searchSieve(
  contactWords,
  (p) => sql<SqlBool>`(${hasWords(p['q'], null)}
    or coalesce(${p['q_start']}::text, ${p['q_number']}::text) is not null and (
    select true from contact_points as p
    where p.tenant_id = ${p['tenant']} and p.contact_id = t.id
      and (starts_with(p.word, ${p['q_start']}) or starts_with(p.word, ${p['q_number']})) limit 1))`,
);

/** A contact with the counts of its details and links. */
export type CountedContact = Contact & { point_count: number; link_count: number };

export const contactList: Listing<CountedContact> = {
  title: 'contacts',
  ...live,
  columns: () => [...CONTACT_COLUMNS, 'point_count', 'link_count'].map((column) => sql.ref(column)),
  id: 'uuid',
  longText: ({ notes }) => notes,
  sorts: { name: { by: sql`(t.name collate "nb-NO-x-icu")`, type: 'text' }, ...byUpdate },
  equal: {},
  sieves: { q: search, email, company_id: company, updated_since: updatedSinceOf(live) },
};

/** The list for the application, which also shows `updated_at`. */
export const contactRows = withUpdate(contactList);

/** The search parameters for an email address or a number that begins with `q`. */
export function searchedContacts(q: string | undefined) {
  const text = q?.trim().toLowerCase();
  if (text === undefined) return {};
  const number = numberIn(text);
  // One word can be the start of an address, even one of digits and punctuation.
  const isAddress = !/\s/.test(text) && !(number && /^[\d+]+$/.test(text));
  return {
    q_start: isAddress ? text : number,
    // A complete Norwegian number may begin with 47 without the +, as telephone exchanges write it.
    q_number: number?.replace(/^47(?=\d{8}$)/, ''),
  };
}
