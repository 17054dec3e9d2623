import { sql, type RawBuilder } from 'kysely';
import { changedFields, entryOfUpdate, type Subject } from '../changes/record.ts';
import { etag, list } from '../changes/write.ts';
import type { Database, Queryable } from '../db/connect.ts';
import { wordsOfChanged } from '../db/search.ts';
import { statement, type Statement } from '../db/statement.ts';
import type { Followers } from '../register/mirror/outcomes.ts';
import { lookUpOnce } from '../register/mirror/set-aside.ts';
import { NOT_STATED, UNIT_FIELDS } from '../register/register.ts';
import { forgetAnswers } from './forget-answers.ts';
import { CONTACT_FIELDS, type ContactField } from './schema.ts';
import { companySubject, companyWords } from './store.ts';

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

const REGISTER = { actor_kind: 'register', actor_id: null, request_id: null } as const;

/** A company that the register has changed, with its ETag before and after. */
type Followed = { id: string; was: string; etag: string };

const subject: Subject = { ...companySubject, fields: [...companySubject.fields, 'dissolved_on'] };

/**
 * Updates companies of a workspace from the register. Each changed company gets an entry in the change log and on its
 * timeline; others are not written.
 * @param source common table expression with the register's facts, with a column `orgnr`
 */
function follow(source: RawBuilder<unknown>, values: Values, tenant: string): RawBuilder<Followed> {
  const columns = Object.keys(values).map((column) => sql.ref(`companies.${column}`));
  const differs = sql`(${sql.join(columns)}) is distinct from (${sql.join(Object.values(values))})`;
  const assignments = Object.entries(values).map(([column, value]) => sql`${sql.ref(column)} = ${value}`);
  return sql<Followed>`with unit as (${source}),
    differing as (
      select companies.id from companies join unit using (orgnr)
      where companies.tenant_id = ${tenant} and ${differs}),
    before as (
      select *, ${list([etag])} from companies where tenant_id = ${tenant} and id = any(array(select id from differing))
      order by id for no key update),
    written as (
      update companies set ${sql.join(assignments)}, version = companies.version + 1, updated_at = now()
      from before, unit
      where companies.tenant_id = ${tenant} and companies.tenant_id = before.tenant_id and companies.id = before.id
        and unit.orgnr = before.orgnr and ${differs}
      returning companies.*),
    ${entryOfUpdate(subject, { ...REGISTER, tenant })},
    timeline as (
      insert into timeline_entries (tenant_id, company_id, type, content)
      select tenant_id, id, 'register_change', jsonb_build_object('fields', ${changedFields(subject.fields)})
      from before join written using (tenant_id, id)),
    ${sql.join(wordsOfChanged(companyWords, tenant))},
    followed as (select id, ${list([etag])} from written)
    select id, before.etag as was, followed.etag from before join followed using (id)`;
}

/** Locks the units, so that a unit that another transaction is removing is not restored. */
const refresh = statement(
  'refresh companies of workspace',
  (p: { tenant: string; orgnrs: readonly string[] }) =>
    follow(
      sql`select * from register_units where orgnr = any(${p.orgnrs}::text[]) for share`,
      UNIT_VALUES,
      p.tenant,
    ),
);

const dissolve = statement('dissolve companies of workspace', (p: { tenant: string; gone: string }) =>
  follow(
    sql`select orgnr, "on" from jsonb_to_recordset(${p.gone}::jsonb) as gone (orgnr text, "on" date)`,
    { dissolved_on: sql`unit."on"` },
    p.tenant,
  ),
);

const forget = statement(
  'forget companies of workspace',
  (p: { tenant: string; orgnrs: readonly string[] }) =>
    follow(sql`select unnest(${p.orgnrs}::text[]) as orgnr, current_date as today`, REMOVED_VALUES, p.tenant),
);

/**
 * Gives rows of imports the new ETags of their companies, so that they can still be undone. A separate statement, so
 * that it sees the rows of an import whose commit the update of a company waited for.
 */
const keepUndoable = statement(
  'keep imports of companies undoable',
  (p: { tenant: string; followed: string }) => sql<{ line: number }>`
    with followed as (
      select * from jsonb_to_recordset(${p.followed}::jsonb) as followed (id uuid, was text, etag text))
    update import_rows as r set etag = followed.etag from followed
    where r.tenant_id = ${p.tenant} and r.resource_id = followed.id and r.etag = followed.was returning line`,
);

/**
 * Updates companies of a workspace, and their rows of imports, in a transaction.
 * @returns whether any company was changed
 */
async function followIn<P extends { tenant: string }>(
  transaction: Queryable,
  write: Statement<P, Followed>,
  p: P,
): Promise<boolean> {
  const followed = await transaction.rows(write, p);
  if (followed.length === 0) return false;
  await transaction.rows(keepUndoable, { tenant: p.tenant, followed: JSON.stringify(followed) });
  return true;
}

/**
 * Empties what undoing an import would restore in these companies. A separate statement, so that it sees what was
 * committed before `forget` locked the companies.
 */
const forgetReplaced = statement(
  'forget what imports changed in companies',
  (p: { tenant: string; orgnrs: readonly string[] }) => sql<{ line: number }>`
    update import_rows set before = null
    where tenant_id = ${p.tenant} and before is not null and resource_id = any(array(
        select id from companies where tenant_id = ${p.tenant} and orgnr = any(${p.orgnrs}::text[])))
      and import_id = any(array(select id from imports where tenant_id = ${p.tenant} and resource = 'company'))
    returning line`,
);

/** Workspaces that have companies with these numbers, each with its numbers, in the order of locking. */
const listWorkspacesWith = statement(
  'list workspaces with companies',
  (p: { orgnrs: readonly string[] }) => sql<{ tenant: string; orgnrs: string[] }>`
    select tenant_id as tenant, array_agg(orgnr) as orgnrs from companies where orgnr = any(${p.orgnrs}::text[])
    group by tenant_id order by tenant_id`,
);

/** One statement for each workspace, since each may be in another shard. */
async function inEach(
  db: Queryable,
  orgnrs: readonly string[],
  work: (p: { tenant: string; orgnrs: string[] }) => Promise<unknown>,
): Promise<void> {
  for (const workspace of await db.rows(listWorkspacesWith, { orgnrs })) await work(workspace);
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
  async refreshAll(db) {
    for (let after: string | undefined = ''; after !== undefined; after = await refreshNext(db, after));
  },
  async refresh(transaction, orgnrs) {
    await inEach(transaction, orgnrs, (workspace) => followIn(transaction, refresh, workspace));
  },
  async dissolve(transaction, gone) {
    const orgnrs = gone.map(({ orgnr }) => orgnr);
    await inEach(transaction, orgnrs, ({ tenant }) =>
      followIn(transaction, dissolve, { tenant, gone: JSON.stringify(gone) }),
    );
  },
  async forget(transaction, orgnrs) {
    await inEach(transaction, orgnrs, async (workspace) => {
      const hasChanged = await followIn(transaction, forget, workspace);
      // These companies were forgotten before: what was written since then is the workspace's own.
      if (!hasChanged) return;
      await transaction.rows(forgetReplaced, workspace);
      await forgetAnswers(transaction, workspace);
    });
  },
};

/** @returns the last number of the batch, undefined when there was none */
async function refreshNext(db: Database, after: string): Promise<string | undefined> {
  const orgnrs = (await db.rows(nextOrgnrs, { after, limit: BATCH })).map(({ orgnr }) => orgnr);
  await inEach(db, orgnrs, (workspace) =>
    db.transaction((transaction) => followIn(transaction, refresh, workspace)),
  );
  await db.row(lookUpOnce, { orgnrs });
  return orgnrs.at(-1);
}
