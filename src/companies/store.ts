import { sql, type Expression, type SqlBool } from 'kysely';
import { patchedColumns, selectedParameters, type PatchParameters } from '../db/columns.ts';
import { builder, statement } from '../db/statement.ts';
import { lockIfStillValid } from '../register/mirror/invalidations.ts';
import {
  COMPANY_CHANGEABLE,
  COMPANY_COLUMNS,
  type CompaniesTable,
  type Company,
  type CompanyUpdate,
  type ContactField,
} from './schema.ts';

type TimelineTable = {
  tenant_id: string;
  id: number;
  company_id: string;
  type: string;
  content: { text: string };
  user_id: string;
  created_at: string;
};

const query = builder<{ companies: CompaniesTable; timeline_entries: TimelineTable }>();

function liveCompanies(tenant: string) {
  return (
    query
      .selectFrom('companies')
      .where('tenant_id', '=', tenant)
      // Spelled as the partial index has it; a parameter could not use that index.
      .where(sql<SqlBool>`not is_deleted`)
      .orderBy('id')
  );
}

/**
 * Companies in order of id, deleted ones left out; one more than `limit` tells that there are more. The rows
 * skipped are counted in the index alone, the page is read from its first id on.
 */
export const listCompanies = statement(
  'list companies',
  (p: { tenant: string; limit: number; offset: number }) =>
    liveCompanies(p.tenant)
      .where('id', '>=', liveCompanies(p.tenant).select('id').limit(1).offset(p.offset))
      .select(COMPANY_COLUMNS)
      .limit(p.limit),
);

/** Finds deleted companies too: what they mean differs by operation. */
export const findCompany = statement('find company', (p: { tenant: string; orgnr: string }) =>
  query
    .selectFrom('companies')
    .where('tenant_id', '=', p.tenant)
    .where('orgnr', '=', p.orgnr)
    .select(COMPANY_COLUMNS),
);

/**
 * Nothing comes back when the workspace has the number already: concurrent requests converge on one row. Nor
 * when the register has said something newer of it than `as_of`.
 */
export const insertCompany = statement(
  'insert company',
  (p: Company & { tenant: string; kept_fields: ContactField[]; as_of: string | null }) =>
    query
      .with('still_valid', () => lockIfStillValid(p.orgnr, p.as_of))
      .insertInto('companies')
      .columns(['tenant_id', ...COMPANY_COLUMNS, 'kept_fields'])
      .expression(
        query
          .selectNoFrom([
            sql`${p.tenant}`.as('tenant_id'),
            ...selectedParameters(COMPANY_COLUMNS, p),
            sql`${p.kept_fields}`.as('kept_fields'),
          ])
          .where(sql<SqlBool>`${p.as_of}::timestamptz is null or exists (select from still_valid)`),
      )
      .onConflict((conflict) => conflict.columns(['tenant_id', 'orgnr']).doNothing())
      .returning(COMPANY_COLUMNS),
);

export const updateCompany = statement(
  'update company',
  (
    p: PatchParameters<Required<CompanyUpdate>> & {
      tenant: string;
      orgnr: string;
      kept_fields: ContactField[];
    },
  ) =>
    query
      .updateTable('companies')
      .set({
        ...patchedColumns(COMPANY_CHANGEABLE, p),
        kept_fields: sql`array(select distinct unnest(kept_fields || ${p.kept_fields}::text[]))`,
        updated_at: sql`now()`,
      })
      .where('tenant_id', '=', p.tenant)
      .where('orgnr', '=', p.orgnr)
      .where('is_deleted', '=', false)
      .returning(COMPANY_COLUMNS),
);

/** Sets the flags that are not null, of a deleted company too. */
export const flagCompany = statement(
  'flag company',
  (p: { tenant: string; orgnr: string; is_archived: boolean | null; is_deleted: boolean | null }) =>
    query
      .updateTable('companies')
      .set({
        is_archived: sql<boolean>`coalesce(${p.is_archived}, is_archived)`,
        is_deleted: sql<boolean>`coalesce(${p.is_deleted}, is_deleted)`,
        updated_at: sql`now()`,
      })
      .where('tenant_id', '=', p.tenant)
      .where('orgnr', '=', p.orgnr)
      .returning(['id', 'orgnr', 'name', 'is_archived', 'is_deleted']),
);

/** Adds a note to the company's timeline; nothing comes back when there is no such company. */
export const insertNote = statement(
  'insert note',
  (p: { tenant: string; orgnr: string; text: string; user_id: string }) =>
    query
      .insertInto('timeline_entries')
      .columns(['tenant_id', 'company_id', 'type', 'content', 'user_id'])
      .expression((eb) =>
        eb
          .selectFrom('companies')
          .where('tenant_id', '=', p.tenant)
          .where('orgnr', '=', p.orgnr)
          .where('is_deleted', '=', false)
          .select([
            'tenant_id',
            'id',
            sql<string>`'add_comment'`.as('type'),
            sql<{ text: string }>`jsonb_build_object('text', ${p.text}::text)`.as('content'),
            sql<string>`${p.user_id}::uuid`.as('user_id'),
          ]),
      )
      .returning(['id', 'company_id', 'type', 'content', 'user_id', 'created_at']),
);

/** Whether a company is there and not deleted: a condition for statements that store a reference to one. */
export function isLiveCompany(tenant: string, company: string): Expression<SqlBool> {
  return sql<SqlBool>`exists (select from companies where tenant_id = ${tenant} and id = ${company} and not is_deleted)`;
}
