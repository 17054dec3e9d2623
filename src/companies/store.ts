import { sql as raw, type Expression, type SqlBool } from 'kysely';
import { patchedColumns, type PatchParameters } from '../db/patch.ts';
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

const sql = builder<{ companies: CompaniesTable; timeline_entries: TimelineTable }>();

function liveCompanies(tenant: string) {
  return (
    sql
      .selectFrom('companies')
      .where('tenant_id', '=', tenant)
      // Spelled as the partial index has it; a parameter could not use that index.
      .where(raw<SqlBool>`not is_deleted`)
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
  sql
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
    sql
      .with('still_valid', () => lockIfStillValid(p.orgnr, p.as_of))
      .insertInto('companies')
      .columns(['tenant_id', ...COMPANY_COLUMNS, 'kept_fields'])
      .expression(
        sql
          .selectNoFrom([
            raw`${p.tenant}`.as('tenant_id'),
            ...COMPANY_COLUMNS.map((column) => raw`${p[column]}`.as(column)),
            raw`${p.kept_fields}`.as('kept_fields'),
          ])
          .where(raw<SqlBool>`${p.as_of}::timestamptz is null or exists (select from still_valid)`),
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
    sql
      .updateTable('companies')
      .set({
        ...patchedColumns(COMPANY_CHANGEABLE, p),
        kept_fields: raw`array(select distinct unnest(kept_fields || ${p.kept_fields}::text[]))`,
        updated_at: raw`now()`,
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
    sql
      .updateTable('companies')
      .set({
        is_archived: raw<boolean>`coalesce(${p.is_archived}, is_archived)`,
        is_deleted: raw<boolean>`coalesce(${p.is_deleted}, is_deleted)`,
        updated_at: raw`now()`,
      })
      .where('tenant_id', '=', p.tenant)
      .where('orgnr', '=', p.orgnr)
      .returning(['id', 'orgnr', 'name', 'is_archived', 'is_deleted']),
);

/** Adds a note to the company's timeline; nothing comes back when there is no such company. */
export const insertNote = statement(
  'insert note',
  (p: { tenant: string; orgnr: string; text: string; user_id: string }) =>
    sql
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
            raw<string>`'add_comment'`.as('type'),
            raw<{ text: string }>`jsonb_build_object('text', ${p.text}::text)`.as('content'),
            raw<string>`${p.user_id}::uuid`.as('user_id'),
          ]),
      )
      .returning(['id', 'company_id', 'type', 'content', 'user_id', 'created_at']),
);

/** Whether a company is there and not deleted: a condition for statements that store a reference to one. */
export function isLiveCompany(tenant: string, company: string): Expression<SqlBool> {
  return raw<SqlBool>`exists (select from companies where tenant_id = ${tenant} and id = ${company} and not is_deleted)`;
}
