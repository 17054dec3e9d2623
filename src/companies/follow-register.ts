import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { builder, statement } from '../db/statement.ts';
import type { Followers } from '../register/mirror/outcomes.ts';
import type { MirroredUnit } from '../register/mirror/units.ts';
import { NOT_STATED, UNIT_FIELDS } from '../register/register.ts';
import { CONTACT_FIELDS, type CompaniesTable, type ContactField } from './schema.ts';

const query = builder<{ companies: CompaniesTable; register_units: MirroredUnit }>();

/** Facts a company shows as the register has them; contact fields a caller may have set. */
const FACTS = UNIT_FIELDS.filter((field) => field !== 'orgnr' && !isContactField(field));

/** What remains of a unit that was removed on legal grounds. */
const NOTHING = {
  name: sql.ref<string>('orgnr'),
  ...Object.fromEntries(
    Object.entries(NOT_STATED).map(([field, value]) => [
      field,
      isContactField(field) ? ownOr(field, sql.lit(value)) : sql.lit(value),
    ]),
  ),
  dissolved_on: sql<string>`coalesce(dissolved_on, current_date)`,
};

/**
 * Companies in every workspace take over what the register says now of these units: facts always, contact
 * fields unless a person or an integration has set them. It names no workspace, like the writes below: the
 * register's facts are the same in all.
 */
const refreshCompanies = statement('refresh companies', (p: { orgnrs: string[] }) =>
  query
    .updateTable('companies')
    // Locked, so that what another transaction is about to remove is not brought back.
    .from(
      query
        .selectFrom('register_units')
        .selectAll()
        .where('orgnr', '=', sql<string>`any(${p.orgnrs}::text[])`)
        .forShare()
        .as('register_units'),
    )
    .set({
      ...Object.fromEntries(FACTS.map((fact) => [fact, sql.ref(`register_units.${fact}`)])),
      ...Object.fromEntries(CONTACT_FIELDS.map((field) => [field, contactField(field)])),
      dissolved_on: sql`register_units.deleted_on`,
      updated_at: sql`now()`,
    })
    .whereRef('register_units.orgnr', '=', 'companies.orgnr')
    .where(
      sql<SqlBool>`(${list([...FACTS, ...CONTACT_FIELDS, 'dissolved_on'].map((column) => sql.ref(`companies.${column}`)))}) is distinct from (${list([...FACTS.map((fact) => sql.ref(`register_units.${fact}`)), ...CONTACT_FIELDS.map(contactField), sql.ref('register_units.deleted_on')])})`,
    ),
);

const dissolveCompanies = statement('dissolve companies', (p: { gone: string }) =>
  query
    .updateTable('companies')
    .from(
      sql<{ orgnr: string; on: string }>`jsonb_to_recordset(${p.gone}::jsonb)`.as<'gone'>(
        sql`gone (orgnr text, "on" date)`,
      ),
    )
    .set({ dissolved_on: sql`gone."on"`, updated_at: sql`now()` })
    .where('companies.orgnr', '=', sql<string>`gone.orgnr`)
    .where(sql<SqlBool>`companies.dissolved_on is distinct from gone."on"`),
);

/** What the register supplied is erased; what the workspace itself wrote, and the number, stay. */
const forgetCompanies = statement('forget companies', (p: { orgnrs: string[] }) =>
  query
    .updateTable('companies')
    .set({ ...NOTHING, updated_at: sql`now()` })
    .where('orgnr', '=', sql<string>`any(${p.orgnrs}::text[])`)
    .where(
      sql<SqlBool>`(${list(Object.keys(NOTHING).map((column) => sql.ref(column)))}) is distinct from (${list(Object.values(NOTHING))})`,
    ),
);

/** How companies follow the feed of the register. */
export const companiesFollow: Followers = {
  refreshAll: refreshAllCompanies,
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

/** Organisation numbers of companies in any workspace, a batch at a time. */
const nextOrgnrs = statement('next orgnrs', (p: { after: string; limit: number }) =>
  query
    .selectFrom('companies')
    .select('orgnr')
    .distinct()
    .where('orgnr', '>', p.after)
    .orderBy('orgnr')
    .limit(p.limit),
);

/** Small enough that no request waits long for a row. */
const BATCH = 2_000;

/** Brings every company in line with the mirror, after an import has replaced it. */
async function refreshAllCompanies(on: Queryable): Promise<void> {
  let after = '';
  for (;;) {
    const batch = await on.rows(nextOrgnrs, { after, limit: BATCH });
    const last = batch.at(-1);
    if (!last) return;
    await companiesFollow.refresh(
      on,
      batch.map((row) => row.orgnr),
    );
    after = last.orgnr;
  }
}

function contactField(field: ContactField): RawBuilder<unknown> {
  return ownOr(field, sql.ref(`register_units.${field}`));
}

/** What someone has set, else what the register says. */
function ownOr(field: ContactField, registered: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`case when ${sql.lit(field)} = any(companies.kept_fields) then ${sql.ref(`companies.${field}`)} else ${registered} end`;
}

function isContactField(field: string): field is ContactField {
  return (CONTACT_FIELDS as readonly string[]).includes(field);
}

function list(expressions: RawBuilder<unknown>[]): RawBuilder<unknown> {
  return sql.join(expressions);
}
