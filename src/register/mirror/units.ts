import { sql } from 'kysely';
import { statement } from '../../db/statement.ts';
import { kindOf, UNIT_FIELDS, type Unit } from '../register.ts';
import { searchText } from '../search-text.ts';
import { IS_CURRENT } from './state.ts';

/** A row of register_units: a unit, and when (`as_of`) the register said so. */
type MirroredUnit = Unit & {
  deleted_on: string | null;
  is_branch: boolean;
  as_of: string;
  /** The name as it is searched. */
  search: string;
};

export const COLUMNS = [
  ...UNIT_FIELDS,
  'is_branch',
  'deleted_on',
  'as_of',
  'search',
] as const satisfies readonly (keyof MirroredUnit)[];

/** The `Kind` of a row, which the table has as a flag. */
export const KIND = `case when is_branch then 'branch' else 'unit' end`;

/** Replaces the row of the same number. */
export const UPSERT = `on conflict (orgnr) do update set (${COLUMNS.join(', ')}) = (${COLUMNS.map((column) => `excluded.${column}`).join(', ')})`;

/** An active unit as a row. @param asOf ISO 8601 */
export function rowOf(unit: Unit, asOf: string): MirroredUnit {
  return {
    ...unit,
    is_branch: kindOf(unit) === 'branch',
    deleted_on: null,
    as_of: asOf,
    search: searchText(unit.name),
  };
}

/** Rows as the JSON that `mirrorUnits` takes. */
export function rowsOf(units: readonly Unit[], asOf: string): string {
  return JSON.stringify(units.map((unit) => rowOf(unit, asOf)));
}

export type MirrorLookUp = { [field in keyof Unit]: Unit[field] | null } & {
  deleted_on: string | null;
  /** Whether the row can be relied on without asking the register. */
  is_current: boolean;
  /** When this was read, by the database's clock. */
  asked_at: string;
  invalidated_at: string;
};

/**
 * The unit in the mirror, and whether to rely on it: the mirror is current, the feed has been read since before the row
 * was written, and the number is not set aside. There is always one row; `orgnr` is null when the mirror lacks the unit.
 */
export const findMirrored = statement(
  'find mirrored unit',
  // statement_timestamp() is before the snapshot: what is committed later is newer than what is read.
  (p: { orgnr: string }) => sql<MirrorLookUp>`
    select ${sql.join(UNIT_FIELDS.map((field) => sql.ref(`unit.${field}`)))}, unit.deleted_on,
      coalesce(${IS_CURRENT} and unit.as_of >= feed.since and aside.orgnr is null, false) as is_current,
      statement_timestamp() as asked_at,
      coalesce(invalidation.at, 'epoch') as invalidated_at
    from (select ${p.orgnr}::text as orgnr) as wanted
    left join register_units as unit on unit.orgnr = wanted.orgnr
    left join register_mirror on true
    left join register_feeds as feed on feed.kind = ${sql.raw(KIND)}
    left join register_set_aside as aside on aside.orgnr = wanted.orgnr and aside.failures > 0
    left join register_invalidations as invalidation on invalidation.orgnr = wanted.orgnr`,
);

/** Writes the JSON of `rowsOf`. An older answer replaces no newer row and brings back no removed unit. */
export const mirrorUnits = statement(
  'mirror units',
  (p: { units: string }) => sql`
    insert into register_units (${sql.raw(COLUMNS.join(', '))})
    select ${sql.raw(COLUMNS.join(', '))}
    from jsonb_populate_recordset(null::register_units, ${p.units}::jsonb) as given
    where not exists (
      select from register_removed as removed
      where removed.orgnr = given.orgnr and removed.removed_at >= given.as_of)
    ${sql.raw(UPSERT)} where register_units.as_of <= excluded.as_of`,
);

export const findUnits = statement(
  'find mirrored units',
  (p: { orgnrs: string[] }) => sql<Unit>`
    select ${sql.raw(UNIT_FIELDS.join(', '))} from register_units where orgnr = any(${p.orgnrs}::text[])`,
);

/** @param p.gone JSON of `{ orgnr, on }`; units that the mirror does not have are left out */
export const markDissolved = statement(
  'mark units dissolved',
  (p: { gone: string; as_of: string }) => sql`
    update register_units set deleted_on = gone."on", as_of = ${p.as_of}
    from jsonb_to_recordset(${p.gone}::jsonb) as gone (orgnr text, "on" date)
    where register_units.orgnr = gone.orgnr and register_units.as_of <= ${p.as_of}`,
);

export const eraseUnits = statement(
  'erase units',
  (p: { orgnrs: string[] }) => sql`delete from register_units where orgnr = any(${p.orgnrs}::text[])`,
);

/** Remembers a removal on legal grounds for good, so that no older file brings the unit back. */
export const recordRemoved = statement(
  'record removed',
  (p: { orgnrs: string[] }) => sql`
    insert into register_removed (orgnr, removed_at) select unnest(${p.orgnrs}::text[]), now()
    on conflict (orgnr) do update set removed_at = now()`,
);

/** The planner's estimate: counting two million rows at every scrape would cost too much. */
export const estimateUnits = statement(
  'estimate units',
  () => sql<{ units: number }>`
    select greatest(reltuples, 0)::bigint as units from pg_class where oid = 'register_units'::regclass`,
);
