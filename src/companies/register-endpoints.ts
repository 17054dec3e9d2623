import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { kindOf, UNIT_FIELDS, type DissolvedUnit, type Register, type Unit } from '../register/register.ts';
import { ask, findInRegister, notInRegister } from './ask-register.ts';
import { findNamedCompanies } from './named.ts';
import { registerAnswer, registerQuery, registerSearchAnswer, type RegisterUnit } from './register-schema.ts';
import { companyParams } from './schema.ts';

const NOT_FOUND = 404;

export const getRegisterUnit = (register: Register) =>
  operation({
    operationId: 'getRegisterUnit',
    summary: 'Look up a unit of the register',
    description:
      'What the register has on an organisation number, and whether the workspace has a company with it. Creates nothing. A dissolved unit has `dissolved_on`; a number that is unknown or was removed is 404.',
    tag: 'Register',
    params: companyParams,
    outcomes: { 200: 'The unit.' },
    answers: { 200: registerAnswer },
    fails: ['not_in_register', 'register_unavailable'],
    statuses: { not_in_register: NOT_FOUND },
    addition: true,
    async handle({ params: { orgNr: orgnr }, tenant, waitAside }) {
      const found = await waitAside(() => findInRegister(register, orgnr));
      if (found.outcome !== 'found' && found.outcome !== 'dissolved') {
        throw notInRegister(register, orgnr, found, { field: 'orgNr', status: NOT_FOUND });
      }
      const dissolvedOn = found.outcome === 'dissolved' ? found.on : null;
      const [data] = await showUnits(tenant, [found.unit], dissolvedOn);
      return answer(200, { data: data! });
    },
  });

export const searchRegister = (register: Register) =>
  operation({
    operationId: 'searchRegister',
    summary: 'Search the register by name or number',
    description:
      'Active units whose names have all words of `q`, whole or their beginnings, in any order, without regard to case and accents; or whose numbers begin with its digits. Names that begin with `q` come first, branches last. Without a mirror the national register searches by its own rules, for main units alone, at most five times a second for all callers; further requests are answered 503 with Retry-After.',
    tag: 'Register',
    query: registerQuery,
    outcomes: { 200: 'Matching units; may be an empty list.' },
    answers: { 200: registerSearchAnswer },
    fails: ['register_unavailable'],
    addition: true,
    async handle({ query: { q, limit }, tenant, waitAside }) {
      const units = await waitAside(() => ask(register, () => register.search(q, limit)));
      return answer(200, { data: await showUnits(tenant, units, null) });
    },
  });

async function showUnits(
  tenant: Tenant,
  units: readonly (Unit | DissolvedUnit)[],
  dissolvedOn: string | null,
): Promise<RegisterUnit[]> {
  const companies = await tenant.rows(findNamedCompanies, {
    ids: [],
    orgnrs: units.map(({ orgnr }) => orgnr),
  });
  const known = new Map(companies.map(({ orgnr, is_deleted }) => [orgnr, is_deleted] as const));
  return units.map((unit) => ({
    ...(Object.fromEntries(UNIT_FIELDS.map((field) => [field, unit[field]])) as DissolvedUnit),
    dissolved_on: dissolvedOn,
    is_branch: kindOf(unit) === 'branch',
    in_workspace: IN_WORKSPACE[`${known.get(unit.orgnr) ?? 'none'}`],
  }));
}

const IN_WORKSPACE = { none: 'none', false: 'company', true: 'deleted' } as const;
