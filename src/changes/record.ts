import { sql, type RawBuilder } from 'kysely';
import type { Change } from '../db/tenant.ts';
import type { ACTIONS, Resource } from './schema.ts';

/** Who changed something. */
type By = Pick<Change, 'tenant' | 'actor_kind' | 'actor_id' | 'request_id'>;

/** How the change log describes a resource. */
export type Subject = {
  resource: Resource;
  /** Columns named in `fields` when they change. */
  fields: readonly string[];
  /** Those of `fields` whose values an entry shows: statuses, flags, numbers and references, never text. */
  shown: readonly string[];
  /** Of the row that changed. */
  orgnr?: RawBuilder<unknown>;
  contact?: RawBuilder<unknown>;
  /** Joins the table that `orgnr` is read from. */
  join?: (tenant: string) => RawBuilder<unknown>;
};

type Action = (typeof ACTIONS)[number];

const ENTRY_COLUMNS = sql`tenant_id, resource, resource_id, orgnr, contact_id, action, fields, "values", actor_kind, actor_id, request_id`;

const after = (column: string) => sql.ref(`written.${column}`);

/**
 * A common table expression that writes the entry of a created row. It is part of the statement that creates
 * the row, so that both exist or neither does; `written` returns the row.
 */
export function entryOfCreation(subject: Subject, p: By): RawBuilder<unknown> {
  const fields = namesWhere(subject.fields, (field) => sql`${after(field)} is not null`);
  const values = subject.shown.flatMap((field) => [
    sql.lit(field),
    sql`case when ${after(field)} is not null then jsonb_build_array(null, ${after(field)}) end`,
  ]);
  return entry(subject, p, { action: 'created', fields, values });
}

/**
 * The same for a changed row: `before` and `written` return its old and new state. No entry is
 * written when `written` returns no row.
 */
export function entryOfUpdate(
  subject: Subject,
  p: By,
  action: RawBuilder<unknown> | Action = 'updated',
): RawBuilder<unknown> {
  const values = subject.shown.flatMap((field) => [
    sql.lit(field),
    sql`case when ${changed(field)} then jsonb_build_array(${sql.ref(`before.${field}`)}, ${sql.ref(`written.${field}`)}) end`,
  ]);
  const fields = changedFields(subject.fields);
  return entry(subject, p, { action, fields, values, from: sql`before join written using (tenant_id, id)` });
}

/** The names of the fields that differ between `before` and `written`. */
export function changedFields(fields: readonly string[]): RawBuilder<string[]> {
  return namesWhere(fields, changed);
}

function namesWhere(
  fields: readonly string[],
  condition: (field: string) => RawBuilder<unknown>,
): RawBuilder<string[]> {
  const names = fields.map((field) => sql`case when ${condition(field)} then ${sql.lit(field)} end`);
  return sql<string[]>`array_remove(array[${sql.join(names)}]::text[], null)`;
}

/** Whether a field differs between `before` and `written`. */
export function changed(field: string): RawBuilder<boolean> {
  return sql<boolean>`${sql.ref(`before.${field}`)} is distinct from ${sql.ref(`written.${field}`)}`;
}

/** Like `entryOfCreation`, for a deleted, erased or restored row, which `row` returns. */
export function entryWithoutFields(
  subject: Subject,
  p: By,
  action: 'deleted' | 'erased' | 'restored',
  row = 'gone',
): RawBuilder<unknown> {
  return entry(subject, p, { action, row });
}

function entry(
  { resource, orgnr, contact, join = () => sql`` }: Subject,
  p: By,
  what: {
    action: RawBuilder<unknown> | Action;
    fields?: RawBuilder<unknown>;
    values?: RawBuilder<unknown>[];
    row?: string;
    from?: RawBuilder<unknown>;
  },
): RawBuilder<unknown> {
  const { action, fields = changedFields([]), values = [], row = 'written', from = sql.table(row) } = what;
  const column = (name: string) => sql.ref(`${row}.${name}`);
  return sql`entry as (
    insert into changes (${ENTRY_COLUMNS})
    select ${column('tenant_id')}, ${sql.lit(resource)}, ${column('id')}::text, ${orgnr ?? sql`null`}, ${contact ?? sql`null::uuid`},
      ${typeof action === 'string' ? sql.lit(action) : action}, ${fields},
      jsonb_strip_nulls(jsonb_build_object(${sql.join(values)})),
      ${p.actor_kind}, ${p.actor_id}, ${p.request_id}
    from ${from} ${join(p.tenant)})`;
}
