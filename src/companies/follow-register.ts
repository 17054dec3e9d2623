import { sql, type RawBuilder } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { statement } from '../db/statement.ts';
import type { Followers } from '../register/mirror/outcomes.ts';
import { NOT_STATED, UNIT_FIELDS } from '../register/register.ts';
import { CONTACT_FIELDS, type ContactField } from './schema.ts';

/** Values of companies' columns, as SQL. */
type Values = Record<string, RawBuilder<unknown>>;

/** What a company shows of the mirror's unit. */
const UNIT_VALUES: Values = {
  ...Object.fromEntries(
    UNIT_FIELDS.filter((field) => field !== 'orgnr').map((field) => [
      field,
      unlessKept(field, sql.ref(`unit.${field}`)),
    ]),
  ),
  dissolved_on: sql`unit.deleted_on`,
};

/** What remains of a unit that was removed on legal grounds. */
const REMOVED_VALUES: Values = {
  name: sql`companies.orgnr`,
  ...Object.fromEntries(
    Object.entries(NOT_STATED).map(([field, value]) => [field, unlessKept(field, sql.lit(value))]),
  ),
  dissolved_on: sql`coalesce(companies.dissolved_on, current_date)`,
};

/** A contact field that a person or an integration has set stays as it is. */
function unlessKept(field: string, value: RawBuilder<unknown>): RawBuilder<unknown> {
  if (!CONTACT_FIELDS.includes(field as ContactField)) return value;
  return sql`case when ${sql.lit(field)} = any(companies.kept_fields) then ${sql.ref(`companies.${field}`)} else ${value} end`;
}

function assignments(values: Values): RawBuilder<unknown> {
  return sql.join(Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`));
}

/** True where a value would change: other rows are not written. */
function differs(values: Values): RawBuilder<unknown> {
  const columns = Object.keys(values).map((column) => sql.ref(`companies.${column}`));
  return sql`(${sql.join(columns)}) is distinct from (${sql.join(Object.values(values))})`;
}

/**
 * Statements without a workspace: what the register says is the same in all. Units are locked, so that what another
 * transaction is about to remove is not brought back.
 */
const refreshCompanies = statement(
  'refresh companies',
  (p: { orgnrs: string[] }) => sql`
    update companies set ${assignments(UNIT_VALUES)}, updated_at = now()
    from (select * from register_units where orgnr = any(${p.orgnrs}::text[]) for share) as unit
    where unit.orgnr = companies.orgnr and ${differs(UNIT_VALUES)}`,
);

const dissolveCompanies = statement(
  'dissolve companies',
  (p: { gone: string }) => sql`
    update companies set dissolved_on = gone."on", updated_at = now()
    from jsonb_to_recordset(${p.gone}::jsonb) as gone (orgnr text, "on" date)
    where companies.orgnr = gone.orgnr and companies.dissolved_on is distinct from gone."on"`,
);

const forgetCompanies = statement(
  'forget companies',
  (p: { orgnrs: string[] }) => sql`
    update companies set ${assignments(REMOVED_VALUES)}, updated_at = now()
    where orgnr = any(${p.orgnrs}::text[]) and ${differs(REMOVED_VALUES)}`,
);

/** Organisation numbers of companies in any workspace. */
const nextOrgnrs = statement(
  'next orgnrs',
  (p: { after: string; limit: number }) => sql<{ orgnr: string }>`
    select distinct orgnr from companies where orgnr > ${p.after} order by orgnr limit ${p.limit}`,
);

/** Small enough that no request waits long for a row. */
const BATCH = 2_000;

/** How companies in all workspaces follow the register. */
export const companiesFollow: Followers = {
  async refreshAll(on) {
    for (let after: string | undefined = ''; after !== undefined; after = await refreshNext(on, after));
  },
  async refresh(on, orgnrs) {
    await on.row(refreshCompanies, { orgnrs: [...orgnrs] });
  },
  async dissolve(on, gone) {
    await on.row(dissolveCompanies, { gone: JSON.stringify(gone) });
  },
  async forget(on, orgnrs) {
    await on.row(forgetCompanies, { orgnrs: [...orgnrs] });
  },
};

/** @returns the last number of the batch, undefined when there was none */
async function refreshNext(on: Queryable, after: string): Promise<string | undefined> {
  const orgnrs = (await on.rows(nextOrgnrs, { after, limit: BATCH })).map(({ orgnr }) => orgnr);
  if (orgnrs.length > 0) await companiesFollow.refresh(on, orgnrs);
  return orgnrs.at(-1);
}
