import { sql } from 'kysely';
import { builder, statement } from '../db/statement.ts';
import type { CompaniesTable } from './schema.ts';

const query = builder<{ companies: CompaniesTable }>();

export const COMPANY_NAME_COLUMNS = ['id', 'orgnr', 'name', 'is_archived', 'is_deleted'] as const;

/** What companies are called, deleted ones too: contacts, tasks and offers refer to them by id. */
export const findCompanyNames = statement(
  'find company names',
  (p: { tenant: string; ids: readonly string[] }) =>
    query
      .selectFrom('companies')
      .where('tenant_id', '=', p.tenant)
      .where('id', '=', sql<string>`any(${p.ids}::uuid[])`)
      .select(COMPANY_NAME_COLUMNS),
);
