import { newCompany } from '../companies/add.ts';
import {
  COMPANY_CHANGEABLE,
  CONTACT_FIELDS,
  companyUpdate,
  type CompanyUpdate,
  type ContactField,
} from '../companies/schema.ts';
import {
  flagCompany,
  insertCompany,
  dropKeptFields,
  updateCompany,
  type StoredCompany,
} from '../companies/store.ts';
import { CHOICES } from '../csv/headers.ts';
import { patchParameters, pick } from '../db/columns.ts';
import type { Tenant } from '../db/tenant.ts';
import { hasValidCheckDigit } from '../register/check-digit.ts';
import { changesOf, Reader, stated, type Given } from './cells.ts';
import { matchCompanies, type MatchedCompany } from './match-store.ts';
import {
  idIn,
  idsIn,
  loadPersonFinder,
  Overtaken,
  planCreation,
  planRefusal,
  planUpdate,
  requireRow,
  type Importer,
  type ReadBefore,
  type Planned,
} from './plan.ts';
import { findUndone } from './store.ts';

export const companyImporter: Importer = {
  namesOf(row) {
    const orgnr = new Reader(row).orgnr('orgnr') ?? idIn(row);
    return orgnr === undefined ? [] : [`company ${orgnr}`];
  },
  namesWithoutId: () => [],
  companiesIn: () => [],
  async plan(tenant, rows, known) {
    const stored = await findStored(tenant, rows);
    return rows.map((row) => planCompany(row, stored, known));
  },
};

/** The well-formed organisation numbers in a field of the rows. */
export function numbersIn(rows: readonly Given[], field: 'orgnr' | 'company'): string[] {
  return rows.flatMap((row) => new Reader(row).orgnr(field) ?? []);
}

/** Companies deleted by undoing an import and not changed since: another import restores them as if they were new. */
export async function undoneAmong(
  tenant: Tenant,
  companies: readonly MatchedCompany[],
): Promise<Set<MatchedCompany>> {
  const deleted = companies.filter((one) => one.is_deleted);
  if (deleted.length === 0) return new Set();
  const undone = await tenant.rows(findUndone, { ids: deleted.map(({ id }) => id) });
  const known = new Set(undone.map(({ resource_id, etag }) => `${resource_id} ${etag}`));
  return new Set(deleted.filter(({ id, etag }) => known.has(`${id} ${etag}`)));
}

type Stored = Awaited<ReturnType<typeof findStored>>;

async function findStored(tenant: Tenant, rows: readonly Given[]) {
  const found = await tenant.rows(matchCompanies, { orgnrs: numbersIn(rows, 'orgnr'), ids: idsIn(rows) });
  return {
    byNumber: new Map(found.map((one) => [one.orgnr, one])),
    byId: new Map(found.map((one) => [one.id, one])),
    undone: await undoneAmong(tenant, found),
    findPerson: await loadPersonFinder(tenant, rows, 'assigned_to'),
  };
}

/** @throws {Overtaken} when the register was not asked about the company, because the workspace still had it then */
function planCompany(row: Given, stored: Stored, { units, unreadable, lookedUp }: ReadBefore): Planned {
  const reader = new Reader(row);
  const id = reader.id();
  const orgnr = reader.orgnr('orgnr');
  if (id === undefined) reader.require('orgnr');
  const found = orgnr === undefined ? stored.byId.get(id ?? '') : stored.byNumber.get(orgnr);
  const undone = found && stored.undone.has(found) ? found : undefined;
  const company = undone ? undefined : found;
  const given = readFields(reader, stored.findPerson, company);
  if (company?.is_deleted) reader.refuse('orgnr', 'deleted_company');
  const number = orgnr ?? undone?.orgnr;
  const unit = units.get(number ?? '');
  if (!company && reader.reasons.length === 0) {
    if (number === undefined) reader.refuse('id', 'unknown_company');
    else if (!hasValidCheckDigit(number)) reader.refuse('orgnr', 'invalid_orgnr');
    else if (!lookedUp.has(number)) throw new Overtaken();
    else if (unreadable.has(number)) reader.refuse('orgnr', 'unreadable_in_register');
    else if (!unit) reader.refuse('orgnr', 'not_in_register');
  }
  if (reader.reasons.length > 0) return planRefusal(reader.reasons);

  if (!company) {
    const added = newCompany(unit!, { ...given, orgnr: number!, source: 'import' });
    const planned = planCreation(undone?.id ?? added.id, ['orgnr', ...Object.keys(given)], async (tenant) => {
      const { etag } = undone
        ? await restoreUndone(tenant, undone, added)
        : requireRow(await tenant.row(insertCompany, added));
      return { etag, before: null };
    });
    const { orgnr, as_of } = added;
    return as_of === null ? planned : { ...planned, lookUp: { orgnr, as_of } };
  }
  const patch = changesOf(given, company);
  const fields = Object.keys(patch) as (keyof CompanyUpdate)[];
  return planUpdate(company.id, fields, async (tenant) => {
    const { etag } = await patchCompanyRow(tenant, company, patch);
    const followed = CONTACT_FIELDS.filter((field) => field in patch && !company.kept_fields.includes(field));
    return { etag, before: { ...pick(company, fields), followed } satisfies CompanyBefore };
  });
}

/** What undoing a change restores. `followed`: fields that follow the register again; older imports do not have it. */
export type CompanyBefore = CompanyUpdate & { followed?: ContactField[] };

/** Restores a company that undoing an import deleted, and keeps nothing that this import set. */
async function restoreUndone(
  tenant: Tenant,
  { orgnr, etag }: StoredCompany,
  { kept_fields, as_of: _asOf, ...added }: ReturnType<typeof newCompany>,
): Promise<StoredCompany> {
  const flags = { is_deleted: false, with_deleted: true } as const;
  const live = requireRow(await tenant.row(flagCompany, { orgnr, ...flags, if_match: [etag] }));
  const followed = CONTACT_FIELDS.filter((field) => !kept_fields.includes(field));
  return patchCompanyRow(tenant, live, { ...added, followed });
}

/**
 * Changes fields if nobody else has changed the company.
 * @param patch.followed fields that follow the register from now on
 * @throws {Overtaken}
 */
export async function patchCompanyRow(
  tenant: Tenant,
  { orgnr, etag }: StoredCompany,
  { followed = [], ...patch }: CompanyBefore,
): Promise<StoredCompany> {
  const written = await tenant.row(updateCompany, {
    ...patchParameters(COMPANY_CHANGEABLE, patch),
    kept_fields: CONTACT_FIELDS.filter((field) => field in patch),
    orgnr,
    if_match: [etag],
  });
  if (followed.length > 0) await tenant.row(dropKeptFields, { orgnr, fields: followed });
  return requireRow(written);
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
