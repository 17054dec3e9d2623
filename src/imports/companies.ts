import { newCompany } from '../companies/add.ts';
import {
  COMPANY_CHANGEABLE,
  CONTACT_FIELDS,
  companyUpdate,
  type CompanyUpdate,
} from '../companies/schema.ts';
import {
  findCompany,
  flagCompany,
  insertCompany,
  updateCompany,
  type StoredCompany,
} from '../companies/store.ts';
import { CHOICES } from '../csv/headers.ts';
import { patchParameters } from '../db/columns.ts';
import type { Tenant } from '../db/tenant.ts';
import { hasValidCheckDigit } from '../register/check-digit.ts';
import { changesOf, Reader, stated, type Given } from './cells.ts';
import { matchCompanies } from './match-store.ts';
import {
  created,
  idsIn,
  openPeople,
  refused,
  unlessOvertaken,
  updated,
  type Importer,
  type Known,
  type Planned,
} from './plan.ts';
import { findUndone } from './store.ts';

export const companyImporter: Importer = {
  namesOf(row) {
    const orgnr = new Reader(row).orgnr('orgnr') ?? row.cells.get('id')?.toLowerCase();
    return orgnr === undefined ? [] : [`company ${orgnr}`];
  },
  async plan(tenant, rows, known) {
    const found = await tenant.rows(matchCompanies, { orgnrs: numbersIn(rows), ids: idsIn(rows) });
    const deleted = found.filter((one) => one.is_deleted).map(({ id }) => id);
    const undone = deleted.length > 0 ? await tenant.rows(findUndone, { ids: deleted }) : [];
    const stored = {
      byNumber: new Map(found.map((one) => [one.orgnr, one])),
      byId: new Map(found.map((one) => [one.id, one])),
      undone: new Set(undone.map(({ resource_id, etag }) => `${resource_id} ${etag}`)),
      findPerson: await openPeople(tenant, rows, 'assigned_to'),
    };
    return rows.map((row) => planCompany(row, stored, known));
  },
};

/** Well-formed organisation numbers. */
export function numbersIn(rows: readonly Given[]): string[] {
  return rows.flatMap((row) => new Reader(row).orgnr('orgnr') ?? []);
}

type Stored = {
  byNumber: ReadonlyMap<string, StoredCompany>;
  byId: ReadonlyMap<string, StoredCompany>;
  /** Deleted by undoing an import and not changed since: another import restores them. */
  undone: ReadonlySet<string>;
  findPerson: Awaited<ReturnType<typeof openPeople>>;
};

function planCompany(row: Given, stored: Stored, { units }: Known): Planned {
  const reader = new Reader(row);
  const id = reader.id();
  const orgnr = reader.orgnr('orgnr');
  if (id === undefined) reader.require('orgnr');
  const company = orgnr === undefined ? stored.byId.get(id ?? '') : stored.byNumber.get(orgnr);
  const given = readFields(reader, stored.findPerson, company);
  const isUndone = company !== undefined && stored.undone.has(`${company.id} ${company.etag}`);
  if (company?.is_deleted && !isUndone) reader.refuse('orgnr', 'deleted_company');
  const unit = units.get(orgnr ?? '');
  if (!company && reader.reasons.length === 0) {
    if (orgnr === undefined) reader.refuse('id', 'unknown_company');
    else if (!hasValidCheckDigit(orgnr)) reader.refuse('orgnr', 'invalid_orgnr');
    else if (!unit) reader.refuse('orgnr', 'not_in_register');
  }
  if (reader.reasons.length > 0) return refused(reader.reasons);

  if (!company) {
    const added = newCompany(unit!, { ...given, orgnr: orgnr!, source: 'import' });
    return created(added.id, ['orgnr', ...Object.keys(given)], async (tenant) => {
      const { etag } = unlessOvertaken(await tenant.row(insertCompany, added));
      return { etag, before: null };
    });
  }
  const patch = changesOf(given, company);
  const fields = Object.keys(patch) as (keyof CompanyUpdate)[];
  if (isUndone) return created(company.id, fields, (tenant) => restoreUndone(tenant, company, patch));
  return updated(company.id, fields, async (tenant) => {
    const { etag } = await patchCompanyRow(tenant, company, patch);
    return { etag, before: Object.fromEntries(fields.map((field) => [field, company[field]])) };
  });
}

/** Counts as created, so that undoing deletes the company again. */
async function restoreUndone(tenant: Tenant, company: StoredCompany, patch: CompanyUpdate) {
  const { orgnr, etag } = company;
  const flags = { is_deleted: false, with_deleted: true } as const;
  unlessOvertaken(await tenant.row(flagCompany, { orgnr, ...flags, if_match: [etag] }));
  const live = unlessOvertaken(await tenant.row(findCompany, { orgnr }));
  const written = await patchCompanyRow(tenant, live, patch);
  return { etag: written.etag, before: null };
}

/** Changes fields if nobody else has changed the company. @throws {Overtaken} */
export async function patchCompanyRow(
  tenant: Tenant,
  { orgnr, etag }: StoredCompany,
  patch: CompanyUpdate,
): Promise<StoredCompany> {
  const written = await tenant.row(updateCompany, {
    ...patchParameters(COMPANY_CHANGEABLE, patch),
    kept_fields: CONTACT_FIELDS.filter((field) => field in patch),
    orgnr,
    if_match: [etag],
  });
  return unlessOvertaken(written);
}

function readFields(
  reader: Reader,
  findPerson: Stored['findPerson'],
  company: StoredCompany | undefined,
): CompanyUpdate {
  const text = (field: (typeof CONTACT_FIELDS)[number]) =>
    [field, reader.text(field, companyUpdate.shape[field].unwrap(), company?.[field])] as const;
  return stated({
    status: reader.choice('status', CHOICES.company_status),
    assigned_to: findPerson(reader, company?.assigned_to),
    ...Object.fromEntries(CONTACT_FIELDS.map(text)),
  });
}
