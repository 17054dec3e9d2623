import { sql as raw } from 'kysely';
import { builder, statement } from '../../db/statement.ts';
import { BRANCH_FORMS, type Unit } from '../register.ts';

/** Rows of register_units: a unit as it was told, and when. */
export type KeptUnit = {
  orgnr: string;
  name: string;
  org_form: string;
  registered_at: string;
  employees: number;
  nace_primary: string;
  email_address: string | null;
  phone_number: string | null;
  mobile_number: string | null;
  website_url: string | null;
  deleted_on: string | null;
  is_branch: boolean;
  as_of: string;
};

/** Rows of register_copy: there is one after the first import. */
export type CopyState = {
  imported_at: string;
  current_at: string;
  units_after: number | null;
  units_since: string;
  branches_after: number | null;
  branches_since: string;
  companies_refreshed: boolean;
  synced_at: string | null;
  last_error: string | null;
  last_error_at: string | null;
};

const sql = builder<{
  register_units: KeptUnit;
  register_copy: CopyState & { singleton: boolean };
  register_removed: { orgnr: string; removed_at: string };
}>();

const COLUMNS = [
  'orgnr',
  'name',
  'org_form',
  'registered_at',
  'employees',
  'nace_primary',
  'email_address',
  'phone_number',
  'mobile_number',
  'website_url',
  'deleted_on',
  'is_branch',
  'as_of',
] as const satisfies readonly (keyof KeptUnit)[];

/** What is kept of a unit, with the state of the copy; one row, also when nothing is kept. */
export const findKept = statement('find kept unit', (p: { orgnr: string }) =>
  sql
    .selectFrom(raw<{ one: number }>`(select 1 as one)`.as('always'))
    .leftJoin('register_units', (join) => join.on('register_units.orgnr', '=', p.orgnr))
    .leftJoin('register_copy', (join) => join.onTrue())
    .select(['register_copy.current_at', 'units_since', 'branches_since', ...COLUMNS]),
);

/** Keeps units, given as the JSON of `keptRows`; nothing older takes the place of what is kept, or of a removal. */
export const keepUnits = statement('keep units', (p: { units: string }) =>
  sql
    .insertInto('register_units')
    .columns(COLUMNS)
    .expression(
      sql
        .selectFrom(
          raw<KeptUnit>`jsonb_populate_recordset(null::register_units, ${p.units}::jsonb)`.as('given'),
        )
        .select(COLUMNS)
        .where(
          raw<boolean>`not exists (select from register_removed as gone where gone.orgnr = given.orgnr and gone.removed_at >= given.as_of)`,
        ),
    )
    .onConflict((conflict) =>
      conflict
        .column('orgnr')
        .doUpdateSet((eb) =>
          Object.fromEntries(COLUMNS.slice(1).map((column) => [column, eb.ref(`excluded.${column}`)])),
        )
        .whereRef('register_units.as_of', '<=', 'excluded.as_of'),
    ),
);

/** Records that units were dissolved; those that are not kept stay unknown to the copy. */
export const markDeleted = statement('mark units deleted', (p: { gone: string; as_of: string }) =>
  sql
    .updateTable('register_units')
    .from(
      raw<{ orgnr: string; on: string }>`jsonb_to_recordset(${p.gone}::jsonb)`.as<'gone'>(
        raw`gone (orgnr text, "on" date)`,
      ),
    )
    .set({ deleted_on: raw`gone."on"`, as_of: p.as_of })
    .where('register_units.orgnr', '=', raw<string>`gone.orgnr`)
    .where('register_units.as_of', '<=', p.as_of),
);

/** Erases every trace the copy has of these units. */
export const eraseUnits = statement('erase units', (p: { orgnrs: string[] }) =>
  sql.deleteFrom('register_units').where('orgnr', '=', raw<string>`any(${p.orgnrs}::text[])`),
);

/** Remembers a removal on legal grounds, so that nothing older is kept again. */
export const recordRemoved = statement('record removed', (p: { orgnrs: string[] }) =>
  sql
    .insertInto('register_removed')
    .columns(['orgnr', 'removed_at'])
    .expression(
      sql.selectNoFrom([
        raw<string>`unnest(${p.orgnrs}::text[])`.as('orgnr'),
        raw<string>`now()`.as('removed_at'),
      ]),
    )
    .onConflict((conflict) => conflict.column('orgnr').doUpdateSet({ removed_at: raw<string>`now()` })),
);

export const findCopy = statement('find copy', () =>
  sql
    .selectFrom('register_copy')
    .select([
      'imported_at',
      'current_at',
      'units_after',
      'units_since',
      'branches_after',
      'branches_since',
      'companies_refreshed',
      'synced_at',
      'last_error',
      'last_error_at',
    ]),
);

/** How many units are kept, as PostgreSQL estimates it: counting two million rows at every look is too dear. */
export const estimateUnits = statement('estimate units', () =>
  sql.selectNoFrom(
    raw<number>`(select greatest(reltuples, 0)::bigint from pg_class where oid = 'register_units'::regclass)`.as(
      'units',
    ),
  ),
);

/** Columns that say where a feed goes on. */
const CURSORS = {
  units: { after: 'units_after', since: 'units_since' },
  branches: { after: 'branches_after', since: 'branches_since' },
} as const;

type Move = { from_after: number | null; from_since: string; to: number };

/** Moves a feed's cursor on from where it was read; nothing comes back when it is elsewhere by now. */
export const moveCursor = {
  units: statement('move cursor of units', (p: Move) => moved(CURSORS.units, p)),
  branches: statement('move cursor of branches', (p: Move) => moved(CURSORS.branches, p)),
};

function moved({ after, since }: (typeof CURSORS)[keyof typeof CURSORS], p: Move) {
  return sql
    .updateTable('register_copy')
    .set({ [after]: p.to })
    .where(raw<boolean>`${raw.ref(after)} is not distinct from ${p.from_after}::bigint`)
    .where(raw<boolean>`${raw.ref(since)} = ${p.from_since}::timestamptz`)
    .returning('singleton');
}

/** Of the copy that was synced alone: one imported meanwhile has a sync of its own before it. */
export const recordSync = statement('record sync', (p: { imported_at: string; current_at: string }) =>
  sql
    .updateTable('register_copy')
    .set({
      current_at: raw<string>`greatest(current_at, ${p.current_at}::timestamptz)`,
      synced_at: raw<string>`now()`,
      last_error: null,
      last_error_at: null,
    })
    .where('imported_at', '=', p.imported_at),
);

export const recordRefreshed = statement('record refreshed', (p: { imported_at: string }) =>
  sql
    .updateTable('register_copy')
    .set({ companies_refreshed: true })
    .where('imported_at', '=', p.imported_at),
);

export const recordSyncError = statement('record sync error', (p: { error: string }) =>
  sql.updateTable('register_copy').set({ last_error: p.error, last_error_at: raw<string>`now()` }),
);

/** The JSON that `keepUnits` takes. @param asOf when the register said so, ISO 8601 */
export function keptRows(units: readonly Unit[], asOf: string): string {
  return JSON.stringify(
    units.map((unit): KeptUnit => ({
      orgnr: unit.orgnr,
      name: unit.name,
      org_form: unit.org_form,
      registered_at: unit.registered_at,
      employees: unit.employees,
      nace_primary: unit.nace_primary,
      email_address: unit.email_address,
      phone_number: unit.phone_number,
      mobile_number: unit.mobile_number,
      website_url: unit.website_url,
      deleted_on: null,
      is_branch: BRANCH_FORMS.has(unit.org_form),
      as_of: asOf,
    })),
  );
}
