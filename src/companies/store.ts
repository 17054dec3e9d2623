import { sql, type RawBuilder } from 'kysely';
import { deleteRecorded, restoreRecorded } from '../changes/deleted.ts';
import { changed, type Subject } from '../changes/record.ts';
import { etag, insertRecorded, list, updateRecorded, type IfMatch } from '../changes/write.ts';
import { patchedColumns, type PatchParameters } from '../db/columns.ts';
import { wordsOfNew, type Words } from '../db/search.ts';
import { statement } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import { lockIfStillValid } from '../register/mirror/invalidations.ts';
import {
  COMPANY_CHANGEABLE,
  COMPANY_COLUMNS,
  COMPANY_SHOWN,
  type Company,
  type CompanyUpdate,
  type ContactField,
} from './schema.ts';
import { NOTE_COLUMNS, type Note } from './timeline-schema.ts';

/** How the change log describes a company. */
export const companySubject: Subject = {
  resource: 'company',
  fields: COMPANY_COLUMNS.filter((column) => column !== 'id'),
  shown: COMPANY_SHOWN,
  orgnr: sql.ref('written.orgnr'),
};
/** How the change log describes a note, apart from the note's company. */
const note = { resource: 'note', fields: ['content'], shown: [] } satisfies Subject;

/** How the change log describes the notes that `row` returns, which may be of several companies. */
export function noteOf(row: string): Subject & Pick<typeof note, 'resource'> {
  return {
    ...note,
    orgnr: sql`c.orgnr`,
    join: (tenant) =>
      sql`join companies as c on c.tenant_id = ${tenant} and c.id = ${sql.ref(`${row}.company_id`)}`,
  };
}

/** The words that companies are searched by: those of names, and organisation numbers. */
export const companyWords: Words = { table: 'company_words', owner: 'company_id', rows: 'companies' };

/** Represents "unassigned" in the index; callers cannot send this UUID. */
export const NOBODY = sql.lit('00000000-0000-0000-0000-000000000001');

const returned = [...COMPANY_COLUMNS, etag];

const NO_CONTENT = sql`'{}'::jsonb`;

export type StoredCompany = Company & { etag: string };

/**
 * Companies in order of id, without deleted ones; one more than `limit` shows that there are more. The skipped rows
 * are counted in the index only, and the page is read from its first id on.
 */
export const listCompanies = statement(
  'list companies',
  (p: { tenant: string; limit: number; offset: number }) => sql<Company>`
    select ${list(COMPANY_COLUMNS)} from companies
    where tenant_id = ${p.tenant} and not is_deleted and id >= (
      select id from companies where tenant_id = ${p.tenant} and not is_deleted order by id limit 1 offset ${p.offset})
    order by id limit ${p.limit}`,
);

/** Finds deleted companies too; each operation handles them differently. */
export const findCompany = statement(
  'find company',
  (p: { tenant: string; orgnr: string }) => sql<StoredCompany>`
    select ${list(returned)} from companies where tenant_id = ${p.tenant} and orgnr = ${p.orgnr}`,
);

/**
 * Returns no row when the workspace already has the number, so that concurrent requests converge on one row, or
 * when the register has reported something newer than `as_of`.
 */
export const insertCompany = statement(
  'insert company',
  (p: Company & Change & { kept_fields: ContactField[]; as_of: string | null }) =>
    insertRecorded<StoredCompany>(p, {
      first: [sql`still_valid as ${lockIfStillValid(p.orgnr, p.as_of)}`],
      insert: sql`insert into companies (tenant_id, ${list(COMPANY_COLUMNS)}, kept_fields)
        select ${p.tenant}, ${sql.join(COMPANY_COLUMNS.map((column) => sql`${p[column]}`))}, ${p.kept_fields}
        where ${p.as_of}::timestamptz is null or exists (select from still_valid)
        on conflict (tenant_id, orgnr) do nothing
        returning *`,
      subject: companySubject,
      returned,
      also: [
        sql`timeline as (
          insert into timeline_entries (tenant_id, company_id, type, content, user_id)
          select tenant_id, id, 'create_company', '{}', ${p.author_id} from written)`,
        wordsOfNew(companyWords),
      ],
    }),
);

/** Locks the number as `insertCompany` does; returns no row when the register has reported something newer. */
export const lockFound = statement(
  'lock found unit',
  (p: { tenant: string; orgnr: string; as_of: string }) => sql<{ orgnr: string }>`
    with still_valid as ${lockIfStillValid(p.orgnr, p.as_of)} select orgnr from still_valid`,
);

/** Returns no row for a deleted company. */
export const updateCompany = statement(
  'update company',
  (
    p: PatchParameters<Required<CompanyUpdate>> &
      Change &
      IfMatch & { orgnr: string; kept_fields: ContactField[] },
  ) =>
    updateRecorded<StoredCompany>(p, {
      table: 'companies',
      key: sql`orgnr = ${p.orgnr} and not is_deleted`,
      set: patchedColumns(COMPANY_CHANGEABLE, p),
      silently: { kept_fields: keptFields(p.kept_fields) },
      subject: companySubject,
      returned,
      also: [
        timelineOf(p, [['change_status', move('status'), changed('status')], assignment()]),
        // A field that the caller sets to the value it already has also becomes the caller's.
        sql`kept as (
          update companies as r set kept_fields = ${keptFields(p.kept_fields)} from before
          where r.tenant_id = ${p.tenant} and r.id = before.id and not exists (select from written)
            and before.is_match and not before.kept_fields @> ${p.kept_fields}::text[])`,
      ],
    }),
);

/** Lets these contact fields follow the register again. */
export const dropKeptFields = statement(
  'drop kept fields of company',
  (p: { tenant: string; orgnr: string; fields: readonly ContactField[] }) => sql<{ id: string }>`
    update companies set kept_fields = array(select unnest(kept_fields) except select unnest(${p.fields}::text[]))
    where tenant_id = ${p.tenant} and orgnr = ${p.orgnr} returning id`,
);

export type Flags = { is_archived?: boolean; is_deleted?: boolean; with_deleted?: true };

/** Sets the flags that are given. Returns no row for a deleted company, unless `with_deleted`. */
export const flagCompany = statement('flag company', (p: Change & IfMatch & Flags & { orgnr: string }) =>
  updateRecorded<StoredCompany>(p, {
    table: 'companies',
    key: sql`orgnr = ${p.orgnr} and (${p.with_deleted}::boolean or not is_deleted)`,
    set: {
      is_archived: sql`coalesce(${p.is_archived}, before.is_archived)`,
      is_deleted: sql`coalesce(${p.is_deleted}, before.is_deleted)`,
    },
    action: sql`case
        when written.is_deleted and not before.is_deleted then 'deleted'
        when before.is_deleted and not written.is_deleted then 'restored'
        when written.is_archived then 'archived' else 'unarchived' end`,
    subject: companySubject,
    returned,
    also: [
      timelineOf(p, [
        ['archive', NO_CONTENT, sql`written.is_archived and not before.is_archived`],
        ['unarchive', NO_CONTENT, sql`before.is_archived and not written.is_archived`],
        ['delete', NO_CONTENT, sql`written.is_deleted and not before.is_deleted`],
        ['restore', NO_CONTENT, sql`before.is_deleted and not written.is_deleted`],
      ]),
    ],
  }),
);

/** Adds a note to the company's timeline; returns no row when there is no such company. */
export const insertNote = statement('insert note', (p: Change & { orgnr: string; text: string }) =>
  insertRecorded<Note>(p, {
    insert: sql`insert into timeline_entries (tenant_id, company_id, type, content, user_id)
      select tenant_id, id, 'add_comment', jsonb_build_object('text', ${p.text}::text), ${p.author_id}
      from companies where tenant_id = ${p.tenant} and orgnr = ${p.orgnr} and not is_deleted
      returning *`,
    subject: { ...note, orgnr: sql`${p.orgnr}` },
    returned: NOTE_COLUMNS,
  }),
);

/** The statements that delete and restore a note, also of a deleted company. */
export const noteDeletion = {
  delete: statement('delete note', (p: Change & IfMatch & { orgnr: string; id: number }) =>
    deleteRecorded(p, {
      table: 'timeline_entries',
      key: sql`id = ${p.id} and type = 'add_comment' and company_id = ${idOfCompany(p)}`,
      subject: { ...note, orgnr: sql`${p.orgnr}` },
    }),
  ),
  restore: statement('restore note', (p: Change & { id: string; orgnr: string }) =>
    restoreRecorded<Note>(p, {
      table: 'timeline_entries',
      key: sql`("row" ->> 'company_id')::uuid = ${idOfCompany(p)}`,
      columns: ['tenant_id', ...NOTE_COLUMNS],
      subject: { ...note, orgnr: sql`${p.orgnr}` },
      returned: NOTE_COLUMNS,
    }),
  ),
};

function idOfCompany(p: { tenant: string; orgnr: string }): RawBuilder<unknown> {
  return sql`(select id from companies where tenant_id = ${p.tenant} and orgnr = ${p.orgnr})`;
}

function keptFields(more: readonly ContactField[]): RawBuilder<unknown> {
  return sql`array(select distinct unnest(before.kept_fields || ${more}::text[]))`;
}

function move(field: string): RawBuilder<unknown> {
  return sql`jsonb_build_object('from', ${sql.ref(`before.${field}`)}, 'to', ${sql.ref(`written.${field}`)})`;
}

type Happening = readonly [type: string, content: RawBuilder<unknown>, happened: RawBuilder<unknown>];

/** For `timelineOf`: the company is assigned to another user. */
export function assignment(): Happening {
  return ['change_assignment', move('assigned_to'), changed('assigned_to')];
}

/** Adds timeline entries: type, content, and the condition under which each is added. */
export function timelineOf(p: Change, entries: readonly Happening[]): RawBuilder<unknown> {
  const rows = entries.map(([type, content, happened]) => sql`(${sql.lit(type)}, ${content}, ${happened})`);
  return sql`timeline as (
    insert into timeline_entries (tenant_id, company_id, type, content, user_id)
    select before.tenant_id, before.id, happening.type, happening.content, ${p.author_id}
    from before join written using (tenant_id, id),
      lateral (values ${sql.join(rows)}) as happening (type, content, happened)
    where happening.happened)`;
}
