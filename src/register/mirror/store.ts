import { sql } from 'kysely';
import { builder, statement } from '../../db/statement.ts';
import { kindOf, UNIT_FIELDS, type Unit } from '../register.ts';
import { lockIfStillValid, type Invalidation } from './invalidations.ts';
import type { FeedState, MirrorState, SetAside } from './state.ts';

/** Rows of register_units: a unit as it was told, and when. */
export type MirroredUnit = Unit & { deleted_on: string | null; is_branch: boolean; as_of: string };

const query = builder<{
  register_units: MirroredUnit;
  register_mirror: MirrorState;
  register_feeds: FeedState;
  register_invalidations: Invalidation;
  register_set_aside: SetAside;
  register_removed: { orgnr: string; removed_at: string };
}>();

export const COLUMNS = [
  ...UNIT_FIELDS,
  'is_branch',
  'deleted_on',
  'as_of',
] as const satisfies readonly (keyof MirroredUnit)[];

/** The unit in the mirror and what decides whether to rely on it; one row, also when there is no such unit. */
export const findMirrored = statement('find mirrored unit', (p: { orgnr: string }) =>
  query
    .selectFrom(sql<{ orgnr: string }>`(select ${p.orgnr}::text as orgnr)`.as('wanted'))
    .leftJoin('register_units as unit', (join) => join.onRef('unit.orgnr', '=', 'wanted.orgnr'))
    .leftJoin('register_mirror', (join) => join.onTrue())
    .leftJoin('register_feeds', (join) =>
      join.on(sql<boolean>`register_feeds.kind = case when unit.is_branch then 'branch' else 'unit' end`),
    )
    .leftJoin('register_set_aside as aside', (join) => join.onRef('aside.orgnr', '=', 'wanted.orgnr'))
    .leftJoin('register_invalidations as invalidation', (join) =>
      join.onRef('invalidation.orgnr', '=', 'wanted.orgnr'),
    )
    .select([
      'register_mirror.current_at',
      'register_feeds.since',
      sql<boolean>`aside.orgnr is not null`.as('is_set_aside'),
      // Before the snapshot: what is committed after this moment is newer than what is read here.
      sql<string>`statement_timestamp()`.as('asked_at'),
      sql<string>`coalesce(invalidation.at, 'epoch')`.as('invalidated_at'),
      ...COLUMNS.map((column) => `unit.${column}` as const),
    ]),
);

/** Takes units over from the feed, as the JSON of `rowsOf`; an older answer never replaces a newer row. */
export const mirrorUnits = statement('mirror units', (p: { units: string }) => mirrored(p.units));

/** The same for the one unit of a look-up; nothing comes back when it is no longer valid. */
export const mirrorLookUp = statement(
  'mirror look-up',
  (p: { orgnr: string; units: string; as_of: string }) =>
    query
      .with('still_valid', () => lockIfStillValid(p.orgnr, p.as_of))
      .with('stored', () => mirrored(p.units, sql<boolean>`exists (select from still_valid)`))
      .selectFrom('still_valid')
      .select('orgnr'),
);

function mirrored(units: string, condition = sql<boolean>`true`) {
  return query
    .insertInto('register_units')
    .columns(COLUMNS)
    .expression(
      query
        .selectFrom(
          sql<MirroredUnit>`jsonb_populate_recordset(null::register_units, ${units}::jsonb)`.as('given'),
        )
        .select(COLUMNS)
        .where(condition)
        .where(
          sql<boolean>`not exists (select from register_removed as gone where gone.orgnr = given.orgnr and gone.removed_at >= given.as_of)`,
        ),
    )
    .onConflict((conflict) =>
      conflict
        .column('orgnr')
        .doUpdateSet((eb) =>
          Object.fromEntries(COLUMNS.slice(1).map((column) => [column, eb.ref(`excluded.${column}`)])),
        )
        .whereRef('register_units.as_of', '<=', 'excluded.as_of'),
    );
}

/** Units that are in the mirror, active or dissolved. */
export const findUnits = statement('find mirrored units', (p: { orgnrs: string[] }) =>
  query
    .selectFrom('register_units')
    .select(COLUMNS)
    .where('orgnr', '=', sql<string>`any(${p.orgnrs}::text[])`),
);

/** Records that units were dissolved; those that are not in the mirror stay unknown to it. */
export const markDeleted = statement('mark units deleted', (p: { gone: string; as_of: string }) =>
  query
    .updateTable('register_units')
    .from(
      sql<{ orgnr: string; on: string }>`jsonb_to_recordset(${p.gone}::jsonb)`.as<'gone'>(
        sql`gone (orgnr text, "on" date)`,
      ),
    )
    .set({ deleted_on: sql`gone."on"`, as_of: p.as_of })
    .where('register_units.orgnr', '=', sql<string>`gone.orgnr`)
    .where('register_units.as_of', '<=', p.as_of),
);

/** Erases every trace the mirror has of these units. */
export const eraseUnits = statement('erase units', (p: { orgnrs: string[] }) =>
  query.deleteFrom('register_units').where('orgnr', '=', sql<string>`any(${p.orgnrs}::text[])`),
);

/** Remembers a removal on legal grounds for good, so that no older file brings the unit back. */
export const recordRemoved = statement('record removed', (p: { orgnrs: string[] }) =>
  query
    .insertInto('register_removed')
    .columns(['orgnr', 'removed_at'])
    .expression(
      query.selectNoFrom([
        sql<string>`unnest(${p.orgnrs}::text[])`.as('orgnr'),
        sql<string>`now()`.as('removed_at'),
      ]),
    )
    .onConflict((conflict) => conflict.column('orgnr').doUpdateSet({ removed_at: sql<string>`now()` })),
);

/** How many units the mirror has, as PostgreSQL estimates it: counting two million rows at every look is too dear. */
export const estimateUnits = statement('estimate units', () =>
  query.selectNoFrom(
    sql<number>`(select greatest(reltuples, 0)::bigint from pg_class where oid = 'register_units'::regclass)`.as(
      'units',
    ),
  ),
);

/** How an active unit is stored. @param asOf when the register said so, ISO 8601 */
export function rowOf(unit: Unit, asOf: string): MirroredUnit {
  return { ...unit, is_branch: kindOf(unit) === 'branch', deleted_on: null, as_of: asOf };
}

/** The JSON that `mirrorUnits` takes. */
export function rowsOf(units: readonly Unit[], asOf: string): string {
  return JSON.stringify(units.map((unit) => rowOf(unit, asOf)));
}
