import { sql, type RawBuilder } from 'kysely';
import { entryOfCreation, entryWithoutFields, entryOfUpdate, type Subject } from '../changes/record.ts';
import { list } from '../changes/write.ts';
import { insertedColumns, patchedColumns, type PatchParameters } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import { largeCompany, orderedLinks, orderedVersion } from './ordered.ts';

/** The details or the company links of a contact. The contact's row has their counts. */
export type OwnedKind = {
  table: 'contact_points' | 'contact_companies';
  counter: 'point_count' | 'link_count';
  subject: Subject;
  returned: readonly string[];
  /** Further common table expressions for adding, changing and removing one. */
  added?: readonly RawBuilder<unknown>[];
  changed?: (tenant: string) => readonly RawBuilder<unknown>[];
  removed?: (tenant: string) => readonly RawBuilder<unknown>[];
};

type Owner = { tenant: string; contact: string };
type Added = Change & { contact: string; limit: number };
type Named = Change & { contact: string; id: number };

type Columns = Readonly<Record<string, RawBuilder<unknown>>>;

/** The statements for the details or the links of contacts. */
export function storeOf<Row, Create extends object, Update extends object>(
  kind: OwnedKind,
  created: readonly (keyof Create & string)[],
  changeable: readonly (keyof Update & string)[],
) {
  const { resource } = kind.subject;
  return {
    insert: statement(`insert ${resource}`, (p: Required<Create> & Added) =>
      insertOwned<Row>(kind, p, insertedColumns(created, p)),
    ),
    update: statement(`update ${resource}`, (p: PatchParameters<Required<Update>> & Named) =>
      updateOwned<Row>(kind, p, patchedColumns(changeable, p)),
    ),
    delete: statement(`delete ${resource}`, (p: Named) => deleteOwned(kind, p)),
    find: statement(
      `find ${resource}`,
      (p: Owner & { id: number }) => sql<Row>`${selectOwned(kind, p)} and id = ${p.id}`,
    ),
    list: statement(`list ${resource}s`, (p: Owner) => sql<Row>`${selectOwned(kind, p)} order by id`),
    listOf: statement(`list ${resource}s of`, (p: { tenant: string; contacts: readonly string[] }) =>
      listOwned<Row>(kind, p),
    ),
  };
}

/** Adds a detail or link; returns no row when there is no such contact, or the contact already has `limit` of them. */
function insertOwned<Row>(
  { table, counter, subject, returned, added = [] }: OwnedKind,
  p: Added,
  columns: Columns,
): RawBuilder<Row> {
  const names = Object.keys(columns).map((column) => sql.ref(column));
  const isLink = table === 'contact_companies';
  const size = isLink
    ? sql`${largeCompany({ tenant: p.tenant, company_id: columns['company_id'] })},`
    : sql``;
  const begins = isLink ? sql`(select is_large from size)` : sql`false`;
  return sql<Row>`with ${size}
    counted as (
      update contacts as r set ${sql.ref(counter)} = ${sql.ref(counter)} + 1, version = version + 1,
        updated_at = now(), ordered_version = ${orderedVersion(p, begins)}
      where tenant_id = ${p.tenant} and id = ${p.contact} and erased_at is null and ${sql.ref(counter)} < ${p.limit}
      returning tenant_id, id, name, updated_at, version, ordered_version),
    written as (
      insert into ${sql.table(table)} (tenant_id, contact_id, ${sql.join(names)}${isLink ? sql`, contact_name, contact_updated_at` : sql``})
      select tenant_id, id, ${sql.join(Object.values(columns))}${isLink ? sql`, case when is_large then name end, case when is_large then updated_at end` : sql``}
      from counted${isLink ? sql`, size` : sql``}
      returning *),
    ${sql.join([entryOfCreation(subject, p), orderedLinks(p.tenant, 'counted'), ...added])}
    select ${list(returned)} from written`;
}

/** Changes a detail or link; equal values change nothing, not even the contact. Returns no row when there is none. */
function updateOwned<Row>(
  { table, subject, returned, changed = () => [] }: OwnedKind,
  p: Named,
  set: Columns,
): RawBuilder<Row> {
  const columns = Object.keys(set);
  const old = columns.map((column) => sql.ref(`before.${column}`));
  const assignments = columns.map((column) => sql`${sql.ref(column)} = ${set[column]}`);
  const isLink = table === 'contact_companies';
  if (isLink) {
    // A link to another company, which may have many contacts, holds what its contact is sorted by.
    const holds = sql`r.contact_updated_at is not null or r.company_id <> ${set['company_id']}`;
    assignments.push(
      sql`contact_name = case when ${holds} then owner.name end`,
      sql`contact_updated_at = case when ${holds} then owner.changed_at end`,
    );
  }
  const begins = isLink ? sql`exists (select from written where contact_updated_at is not null)` : sql`false`;
  return sql<Row>`with ${owner(p)},
    before as (
      select * from ${sql.table(table)}
      where tenant_id = ${p.tenant} and id = ${p.id} and contact_id = (select id from owner) for no key update),
    written as (
      update ${sql.table(table)} as r set ${sql.join(assignments)} from before${isLink ? sql`, owner` : sql``}
      where r.tenant_id = ${p.tenant} and r.id = before.id and (${sql.join(Object.values(set))}) is distinct from (${sql.join(old)})
      returning r.*),
    ${touched(p, 'written', sql``, begins)},
    ${sql.join([entryOfUpdate(subject, p), orderedLinks(p.tenant, 'touched', isLink ? p.id : undefined), ...changed(p.tenant)])}
    select ${list(returned)} from written
    union all
    select ${list(returned)} from before where not exists (select from written)`;
}

/** Removes a detail or link; returns no row when there is none. */
function deleteOwned(
  { table, counter, subject, removed = () => [] }: OwnedKind,
  p: Named,
): RawBuilder<{ id: number }> {
  return sql<{ id: number }>`with ${owner(p)},
    gone as (
      delete from ${sql.table(table)} as r using owner
      where r.tenant_id = ${p.tenant} and r.contact_id = owner.id and r.id = ${p.id}
      returning r.*),
    ${touched(p, 'gone', sql`${sql.ref(counter)} = ${sql.ref(counter)} - 1,`)},
    ${orderedLinks(p.tenant, 'touched', table === 'contact_companies' ? p.id : undefined)},
    ${sql.join([entryWithoutFields({ ...subject, contact: sql.ref('gone.contact_id') }, p, 'deleted'), ...removed(p.tenant)])}
    select id from gone`;
}

/** Selects the details or links of a contact; a further condition or an order may follow. */
function selectOwned({ table, returned }: OwnedKind, p: Owner): RawBuilder<unknown> {
  return sql`select ${list(returned)} from ${sql.table(table)} where tenant_id = ${p.tenant} and contact_id = ${p.contact}`;
}

/** Selects the details or links of several contacts, in order of id, each with its `contact_id`. */
function listOwned<Row>(
  { table, returned }: OwnedKind,
  p: { tenant: string; contacts: readonly string[] },
): RawBuilder<Row & { contact_id: string }> {
  return sql`
    select contact_id, ${list(returned)} from ${sql.table(table)}
    where tenant_id = ${p.tenant} and contact_id = any(${p.contacts}::uuid[]) order by id`;
}

/** The rows of `listOwned`, by contact. */
export async function groupByContact<Row extends { contact_id: string }>(reading: Promise<Row[]>) {
  const groups = new Map<string, Omit<Row, 'contact_id'>[]>();
  for (const { contact_id, ...row } of await reading) groups.getOrInsert(contact_id, []).push(row);
  return groups;
}

/**
 * Every statement locks the contact before what it owns, so that statements cannot deadlock. The time is read once: Citus
 * runs the parts of a statement one after another, each with a time of its own.
 */
function owner(p: Owner): RawBuilder<unknown> {
  return sql`owner as (
    select id, name, now() as changed_at from contacts
    where tenant_id = ${p.tenant} and id = ${p.contact} and erased_at is null for no key update)`;
}

/** A change of what a contact owns is a new version of the contact. */
function touched(
  p: Owner,
  changed: 'written' | 'gone',
  more: RawBuilder<unknown>,
  begins?: RawBuilder<unknown>,
): RawBuilder<unknown> {
  return sql`touched as (
    update contacts as r set ${more} version = version + 1, updated_at = (select changed_at from owner),
      ordered_version = ${orderedVersion(p, begins)}
    where tenant_id = ${p.tenant} and id = ${p.contact} and exists (select from ${sql.table(changed)})
    returning id, name, updated_at, version, ordered_version)`;
}
