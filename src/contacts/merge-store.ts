import { sql, type RawBuilder } from 'kysely';
import { entryOfUpdate, entryWithoutFields } from '../changes/record.ts';
import { etag, list } from '../changes/write.ts';
import { statement } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import { orderedLinks } from './ordered.ts';
import type { OwnedKind } from './owned.ts';
import { CONTACT_COLUMNS } from './schema.ts';
import { contactSubject, links, points, withoutPerson, type StoredContact } from './store.ts';
import { wordOfGonePoint } from './words.ts';

/** Locks two contacts until the transaction ends, in order of id, so that two merges cannot deadlock. */
export const lockTwoContacts = statement(
  'lock two contacts',
  (p: { tenant: string; contact: string; other: string }) => sql<StoredContact>`
    select ${list([...CONTACT_COLUMNS, etag])} from contacts
    where tenant_id = ${p.tenant} and id in (${p.contact}, ${p.other}) and erased_at is null
    order by id for update`,
);

type Pair = Change & { contact: string; other: string };
type Some = Pair & { ids: readonly number[] };

export const movePoints = statement('move points', (p: Some) =>
  move(points, p, [
    sql`words as (
      update contact_words set contact_id = ${p.contact}
      where tenant_id = ${p.tenant} and contact_id = ${p.other} and point_id = any(${p.ids}::bigint[]))`,
  ]),
);
export const moveLinks = statement('move links', (p: Some) => move(links, p, []));

export const dropPoints = statement('drop points', (p: Some) => drop(points, p, [wordOfGonePoint(p.tenant)]));
export const dropLinks = statement('drop links', (p: Some) => drop(links, p, []));

/** Gives rows of another contact to this one; they keep their ids. */
function move(
  { table, subject }: OwnedKind,
  p: Some,
  also: RawBuilder<unknown>[],
): RawBuilder<{ id: number }> {
  const moved = { ...subject, fields: ['contact_id'], shown: ['contact_id'] };
  return sql<{ id: number }>`with
    before as (
      select * from ${sql.table(table)}
      where tenant_id = ${p.tenant} and contact_id = ${p.other} and id = any(${p.ids}::bigint[]) for update),
    written as (
      update ${sql.table(table)} as r set contact_id = ${p.contact} from before
      where r.tenant_id = ${p.tenant} and r.id = before.id
      returning r.*),
    ${sql.join([entryOfUpdate(moved, p), ...also])}
    select id from written`;
}

function drop(
  { table, subject }: OwnedKind,
  p: Some,
  also: RawBuilder<unknown>[],
): RawBuilder<{ id: number }> {
  return sql<{ id: number }>`with
    gone as (
      delete from ${sql.table(table)}
      where tenant_id = ${p.tenant} and contact_id = ${p.other} and id = any(${p.ids}::bigint[])
      returning *),
    ${sql.join([entryWithoutFields({ ...subject, contact: sql.ref('gone.contact_id') }, p, 'deleted'), ...also])}
    select id from gone`;
}

/** Updates the counts and the version of the merged contact, and what its links, moved ones included, hold of it. */
export const countMerged = statement(
  'count merged',
  (p: { tenant: string; contact: string; point_count: number; link_count: number }) =>
    sql<StoredContact>`with written as (
        update contacts set point_count = ${p.point_count}, link_count = ${p.link_count},
          version = version + 1, updated_at = now(), ordered_version = version + 1
        where tenant_id = ${p.tenant} and id = ${p.contact}
        returning *),
        ${orderedLinks(p.tenant, 'written')}
      select ${list([...CONTACT_COLUMNS, etag])} from written`,
);

/**
 * Removes the person from the other contact, whose details and links are gone, and what imports replaced in it: those
 * changes can no longer be undone. Remembered answers that held it now belong to the contact, so that erasing finds
 * them. The row stays, so that its id is not used again.
 */
export const retireMerged = statement(
  'retire merged',
  (p: Pair) => sql<{ id: string }>`with
    words as (delete from contact_words where tenant_id = ${p.tenant} and contact_id = ${p.other}),
    answers as (
      update remembered_answers set contact_id = ${p.contact}
      where tenant_id = ${p.tenant} and contact_id = ${p.other}),
    imported as (
      update import_rows set before = null where tenant_id = ${p.tenant} and resource_id = ${p.other}
        and import_id in (select id from imports where tenant_id = ${p.tenant} and resource = 'contact')),
    before as (select * from contacts where tenant_id = ${p.tenant} and id = ${p.other} for update),
    written as (
      update contacts as r set ${withoutPerson}, point_count = 0, link_count = 0,
        version = r.version + 1, updated_at = now(), erased_at = now(), merged_into = ${p.contact}
      from before where r.tenant_id = ${p.tenant} and r.id = before.id
      returning r.*),
    ${entryOfUpdate({ ...contactSubject, fields: ['merged_into'], shown: ['merged_into'] }, p, 'deleted')}
    select id from written`,
);
