import { sql, type RawBuilder } from 'kysely';
import { entryOfCreation, type Subject } from '../changes/record.ts';
import { COMPANY_COLUMNS } from '../companies/schema.ts';
import { companySubject, companyWords, noteOf } from '../companies/store.ts';
import { NOTE_COLUMNS } from '../companies/timeline-schema.ts';
import { CONTACT_COLUMNS, ERASED, LINK_COLUMNS, POINT_COLUMNS } from '../contacts/schema.ts';
import { contactSubject, links, points } from '../contacts/store.ts';
import { contactWords, wordOfNewPoint } from '../contacts/words.ts';
import { wordsOfNew } from '../db/search.ts';
import { statement, type Statement } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import { OFFER_COLUMNS } from '../offers/schema.ts';
import { offerSubject, offerWords } from '../offers/store.ts';
import { TASK_COLUMNS } from '../tasks/schema.ts';
import { taskSubject, taskWords } from '../tasks/store.ts';

type Id = { id: string | number };

/** How rows of a table are added; rows are JSON with members named like columns. */
export type Inserter = {
  /**
   * Adds rows whose id the workspace has not used. Returns the ids of the added rows.
   * @param given columns that the file has: a column that an older release did not have gets its default
   */
  insert(given: readonly string[]): Statement<Change & { rows: string }, Id>;
  /** Ids of given rows that the workspace has used for something else. */
  findOthers: Statement<{ tenant: string; rows: string }, Id>;
};

function list(names: readonly string[], prefix = ''): RawBuilder<unknown> {
  return sql.join(names.map((column) => sql.ref(prefix + column)));
}

function inserter(
  table: string,
  columns: readonly string[],
  what: {
    /** Columns that must be equal for a row with the same id to be the same row. */
    same?: readonly string[];
    subject?: Subject;
    /** Whether a row has an entry in the change log, and can be deleted by people; by default, every row. */
    recorded?: (row: string) => RawBuilder<unknown>;
    also?: readonly RawBuilder<unknown>[];
  },
): Inserter {
  const { same = [], subject, recorded = () => sql`true`, also = [] } = what;
  const from = (rows: unknown) =>
    sql`jsonb_populate_recordset(null::${sql.table(table)}, ${rows}::jsonb) with ordinality as r`;
  /** Whether a row of this id was deleted, which keeps the id used: `t` is that row, null if it cannot be restored. */
  const isDeleted = (tenant: string, isSame = sql``) =>
    subject
      ? sql`(${recorded('r')} and exists (select from deleted_rows as d, jsonb_populate_record(null::${sql.table(table)}, d."row") as t
          where d.tenant_id = ${tenant} and d.resource = ${sql.lit(subject.resource)} and d.id = r.id::text${isSame}))`
      : sql`false`;
  const isSame = same.map((column) => sql` and ${sql.ref(`t.${column}`)} = ${sql.ref(`r.${column}`)}`);
  const insertOf = (names: readonly string[]) =>
    statement(`import ${table}`, (p: Change & { rows: string }) => {
      const ctes = [
        // In the order of the file, so that rows without an id are numbered in that order.
        sql`added as (
          insert into ${sql.table(table)} (tenant_id, ${list(names)}) overriding system value
          select ${p.tenant}, ${list(names, 'r.')} from ${from(p.rows)}
          where not ${isDeleted(p.tenant)} order by r.ordinality
          on conflict do nothing returning *)`,
        sql`written as (select * from added where ${recorded('added')})`,
        ...(subject ? [entryOfCreation(subject, p)] : []),
        ...also,
      ];
      return sql<Id>`with ${sql.join(ctes)} select id from added`;
    });
  const insertAll = insertOf(columns);
  return {
    insert(given) {
      const known = columns.filter((column) => given.includes(column));
      return known.length === columns.length ? insertAll : insertOf(known);
    },
    findOthers: statement(
      `find other ${table}`,
      (p: { tenant: string; rows: string }) => sql<Id>`select r.id from ${from(p.rows)}
        where not exists (select from ${sql.table(table)} as t
          where t.tenant_id = ${p.tenant} and t.id = r.id${sql.join(isSame, sql``)})
        and not ${isDeleted(p.tenant, sql` and (d."row" is null or true${sql.join(isSame, sql``)})`)}
        order by r.id limit 1`,
    ),
  };
}

/** Columns that the API does not show and an export contains. */
const TIMES = ['created_at', 'updated_at'];

export const INSERTERS = {
  company: inserter('companies', [...COMPANY_COLUMNS, 'kept_fields', 'dissolved_on', ...TIMES], {
    same: ['orgnr'],
    subject: companySubject,
    also: [wordsOfNew(companyWords)],
  }),
  contact: inserter('contacts', [...CONTACT_COLUMNS, 'updated_at', 'point_count', 'link_count'], {
    subject: contactSubject,
    also: [wordsOfNew(contactWords)],
  }),
  erased_contact: inserter(
    'contacts',
    ['id', ...Object.keys(ERASED), ...TIMES, 'erased_at', 'merged_into'],
    {},
  ),
  point: inserter('contact_points', ['contact_id', ...POINT_COLUMNS], {
    same: ['contact_id'],
    subject: points.subject,
    also: [wordOfNewPoint],
  }),
  link: inserter('contact_companies', ['contact_id', ...LINK_COLUMNS], {
    same: ['contact_id', 'company_id'],
    subject: links.subject,
  }),
  timeline_entry: inserter('timeline_entries', NOTE_COLUMNS, {
    same: ['company_id', 'type', 'created_at'],
    subject: noteOf('written'),
    recorded: (row) => sql`${sql.ref(`${row}.type`)} = 'add_comment'`,
  }),
  task: inserter('tasks', TASK_COLUMNS, { subject: taskSubject, also: [wordsOfNew(taskWords)] }),
  offer: inserter('offers', [...OFFER_COLUMNS, 'updated_at', 'status_since'], {
    subject: offerSubject,
    also: [wordsOfNew(offerWords)],
  }),
};

/** Numbers that other sessions may take while the sequence is moved. */
const MARGIN = 100_000;

/** Moves a sequence, so that rows that are added later get higher numbers than the imported ones. */
export const moveSequence = (table: string) =>
  statement(
    `move sequence of ${table}`,
    (p: { tenant: string; highest: number }) => sql<{ moved: number }>`
      select setval(sequence.name, ${p.highest}::bigint + ${sql.lit(MARGIN)}) as moved
      from (select pg_get_serial_sequence(${sql.lit(table)}, 'id')::regclass as name) as sequence
      where coalesce(pg_sequence_last_value(sequence.name), 0) <= ${p.highest}::bigint`,
  );
