import { newId } from '../db/new-id.ts';
import type { Tenant } from '../db/tenant.ts';
import type { WaitAside } from '../http/endpoint.ts';
import { Problem } from '../http/problem.ts';
import { RegisterUnavailable, type Register, type RegisterAnswer } from '../register/register.ts';
import { findInRegister, notInRegister, unavailable } from './ask-register.ts';
import { checkReferences } from './references.ts';
import { COMPANY_DEFAULTS, CONTACT_FIELDS, type CompanyCreate } from './schema.ts';
import { findCompany, insertCompany, type StoredCompany } from './store.ts';

/** How many times a unit is looked up if it keeps changing while it is added. */
const MAX_ATTEMPTS = 3;

/**
 * Creates a company from the register, or finds the existing one (contract, POST /companies).
 * The workspace is searched first, so that an existing company is returned while the register is down; the register
 * is never called inside a transaction.
 * @param body.source value of the field `source`
 * @param waitAside waits for the register, so that other requests can use the database
 * @throws {Problem} company_deleted, invalid_reference, not_in_register, register_unavailable
 */
export async function addCompany(
  tenant: Tenant,
  register: Register,
  { source, ...body }: CompanyCreate & { source: string },
  waitAside: WaitAside,
): Promise<{ data: StoredCompany; created: boolean }> {
  const known = await findExisting(tenant, body.orgnr);
  if (known) return known;
  await checkReferences(tenant, body);
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const found = await waitAside(() => findInRegister(register, body.orgnr));
    if (found.outcome !== 'found') throw notInRegister(register, body.orgnr, found, { field: 'orgnr' });
    // The look-up may have taken seconds.
    await checkReferences(tenant, body);
    const created = await tenant.row(insertCompany, newCompany(found, { ...body, source }));
    if (created) return { data: created, created: true };
    const winner = await findExisting(tenant, body.orgnr);
    if (winner) return winner;
    // The register has reported a change of the unit since it was looked up.
  }
  throw unavailable(register, new RegisterUnavailable('the unit changes while it is added', 1));
}

async function findExisting(tenant: Tenant, orgnr: string) {
  const known = await tenant.row(findCompany, { orgnr });
  if (known?.is_deleted) {
    throw new Problem(
      'company_deleted',
      `Company ${orgnr} is deleted; it must be restored before it can be used again`,
    );
  }
  return known && { data: known, created: false };
}

export type FoundUnit = Extract<RegisterAnswer, { outcome: 'found' }>;

/**
 * The parameters of `insertCompany` for a unit of the register. Values of the caller, null included, replace the
 * register's values and the defaults.
 */
export function newCompany({ unit, asOf }: FoundUnit, given: CompanyCreate & { source: string }) {
  return {
    ...unit,
    ...COMPANY_DEFAULTS,
    ...given,
    id: newId(),
    is_archived: false,
    is_deleted: false,
    kept_fields: CONTACT_FIELDS.filter((field) => field in given),
    as_of: asOf ?? null,
  };
}
