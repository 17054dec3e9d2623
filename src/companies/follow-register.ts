import { sql, type RawBuilder } from 'kysely';
import { changedFields, entryOfUpdate, type Subject } from '../changes/record.ts';
import type { Queryable } from '../db/connect.ts';
import { wordsOfChanged } from '../db/search.ts';
import { findSharding } from '../db/sharding/tables.ts';
import { reading, statement } from '../db/statement.ts';
import type { Followers } from '../register/mirror/outcomes.ts';
import { NOT_STATED, UNIT_FIELDS } from '../register/register.ts';
import { CONTACT_FIELDS, type ContactField } from './schema.ts';
import { company } from './store.ts';
import { companyWords } from './words.ts';

/** Values of companies' columns, as SQL. */
type Values = Record<string, RawBuilder<unknown>>;

/** The columns of a company that come from the mirror's unit. */
const UNIT_VALUES: Values = {
  ...Object.fromEntries(
    UNIT_FIELDS.filter((field) => field !== 'orgnr').map((field) => [
      field,
      unlessKept(field, sql.ref(`unit.${field}`)),
    ]),
  ),
  dissolved_on: sql`unit.deleted_on`,
};

/** The columns of a company whose unit was removed on legal grounds. */
const REMOVED_VALUES: Values = {
  name: sql`companies.orgnr`,
  ...Object.fromEntries(
    Object.entries(NOT_STATED).map(([field, value]) => [field, unlessKept(field, sql.lit(value))]),
  ),
  dissolved_on: sql`coalesce(companies.dissolved_on, unit.today)`,
};

/** A contact field that a person or an integration has set is kept. */
function unlessKept(field: string, value: RawBuilder<unknown>): RawBuilder<unknown> {
  if (!CONTACT_FIELDS.includes(field as ContactField)) return value;
  return sql`case when ${sql.lit(field)} = any(companies.kept_fields) then ${sql.ref(`companies.${field}`)} else ${value} end`;
}

const REGISTER = { actor_kind: sql.lit('register'), actor_id: sql`null`, request_id: sql`null` };

const subject: Subject = { ...company, fields: [...company.fields, 'dissolved_on'] };

/**
 * Updates companies from the register, in all workspaces or in one. Each changed company
 * gets an entry in the change log and on its timeline; others are not written.
 * @param source common table expression with the register's facts, with a column `orgnr`
 */
function follow(
  source: RawBuilder<unknown>,
  values: Values,
  tenant?: string,
): RawBuilder<{ changed: number }> {
  const inTenant = tenant === undefined ? sql`` : sql`companies.tenant_id = ${tenant} and `;
  const isDiffering =
    tenant === undefined
      ? sql`(tenant_id, id) in (select tenant_id, id from differing)`
      : sql`tenant_id = ${tenant} and id = any(array(select id from differing))`;
  const columns = Object.keys(values).map((column) => sql.ref(`companies.${column}`));
  const differs = sql`(${sql.join(columns)}) is distinct from (${sql.join(Object.values(values))})`;
  const assignments = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  return sql<{ changed: number }>`with unit as (${source}),
    differing as (
      select companies.tenant_id, companies.id from companies join unit using (orgnr) where ${inTenant}${differs}),
    before as (
      select * from companies where ${isDiffering} order by tenant_id, id for no key update),
    written as (
      update companies set ${sql.join(assignments)}, version = companies.version + 1, updated_at = now()
      from before, unit
      where ${inTenant}companies.tenant_id = before.tenant_id and companies.id = before.id
        and unit.orgnr = before.orgnr and ${differs}
      returning companies.*),
    ${entryOfUpdate(subject, { ...REGISTER, tenant })},
    timeline as (
      insert into timeline_entries (tenant_id, company_id, type, content)
      select tenant_id, id, 'register_change', jsonb_build_object('fields', ${changedFields(subject.fields)})
      from before join written using (tenant_id, id)),
    ${sql.join(wordsOfChanged(companyWords, tenant))}
    select count(*)::integer as changed from written`;
}

/** One statement for all workspaces, and one for a single workspace, which shards require. */
function followBy<P extends object>(title: string, source: (p: P) => RawBuilder<unknown>, values: Values) {
  return {
    ofAll: statement(`${title} companies`, (p: P) => follow(source(p), values)),
    ofOne: statement(`${title} companies of workspace`, (p: P & { tenant: string }) =>
      follow(source(p), values, p.tenant),
    ),
  };
}

/** Locks the units, so that a unit that another transaction is removing is not restored. */
const refresh = followBy(
  'refresh',
  (p: { orgnrs: string[] }) =>
    sql`select * from register_units where orgnr = any(${p.orgnrs}::text[]) for share`,
  UNIT_VALUES,
);

const dissolve = followBy(
  'dissolve',
  (p: { gone: string }) =>
    sql`select orgnr, "on" from jsonb_to_recordset(${p.gone}::jsonb) as gone (orgnr text, "on" date)`,
  { dissolved_on: sql`unit."on"` },
);

const forget = followBy(
  'forget',
  (p: { orgnrs: string[] }) => sql`select unnest(${p.orgnrs}::text[]) as orgnr, current_date as today`,
  REMOVED_VALUES,
);

const listWorkspacesWith = reading(
  'list workspaces with companies',
  (p: { orgnrs: readonly string[] }) => sql<{ tenant: string }>`
    select distinct tenant_id as tenant from companies where orgnr = any(${p.orgnrs}::text[]) order by 1`,
);

async function carryOut<P extends object>(
  on: Queryable,
  { ofAll, ofOne }: ReturnType<typeof followBy<P>>,
  orgnrs: readonly string[],
  parameters: P,
): Promise<void> {
  const { is_sharded } = (await on.row(findSharding, {}))!;
  if (!is_sharded) {
    await on.row(ofAll, parameters);
    return;
  }
  for (const { tenant } of await on.rows(listWorkspacesWith, { orgnrs })) {
    await on.row(ofOne, { ...parameters, tenant });
  }
}

/** Organisation numbers of companies in any workspace. */
const nextOrgnrs = statement(
  'next orgnrs',
  (p: { after: string; limit: number }) => sql<{ orgnr: string }>`
    select distinct orgnr from companies where orgnr > ${p.after} order by orgnr limit ${p.limit}`,
);

/** Small enough that requests do not wait long for a row. */
const BATCH = 2_000;

/** How companies in all workspaces follow the register. */
export const companiesFollow: Followers = {
  async refreshAll(on) {
    for (let after: string | undefined = ''; after !== undefined; after = await refreshNext(on, after));
  },
  async refresh(on, orgnrs) {
    await carryOut(on, refresh, orgnrs, { orgnrs: [...orgnrs] });
  },
  async dissolve(on, gone) {
    const orgnrs = gone.map(({ orgnr }) => orgnr);
    await carryOut(on, dissolve, orgnrs, { gone: JSON.stringify(gone) });
  },
  async forget(on, orgnrs) {
    await carryOut(on, forget, orgnrs, { orgnrs: [...orgnrs] });
  },
};

/** @returns the last number of the batch, undefined when there was none */
async function refreshNext(on: Queryable, after: string): Promise<string | undefined> {
  const orgnrs = (await on.rows(nextOrgnrs, { after, limit: BATCH })).map(({ orgnr }) => orgnr);
  if (orgnrs.length > 0) await companiesFollow.refresh(on, orgnrs);
  return orgnrs.at(-1);
}
