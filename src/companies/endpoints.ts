import { patchParameters } from '../db/columns.ts';
import { missed, requireMatch } from '../http/conditional.ts';
import { answer, answerOne, operation } from '../http/endpoint.ts';
import { listPage } from '../http/listed.ts';
import { isBeyond, pageOf } from '../http/paging.ts';
import { notFound } from '../http/problem.ts';
import type { Register } from '../register/register.ts';
import { checkReferences } from './references.ts';
import { addCompany } from './add.ts';
import {
  COMPANIES_CONTRACT,
  companiesAnswer,
  companiesQuery,
  COMPANY_CHANGEABLE,
  companyAddedAnswer,
  companyAnswer,
  companyCreate,
  companyParams,
  companyUpdate,
  CONTACT_FIELDS,
} from './schema.ts';
import { companyList, filtersOf } from './list.ts';
import { findCompany, listCompanies, updateCompany, type StoredCompany } from './store.ts';

export const getCompanies = operation({
  operationId: 'listCompanies',
  summary: 'List companies',
  description:
    'Ordered by `id` unless `sort` says otherwise; archived companies are included, deleted ones are not. With `limit` and `offset` alone: advance `offset` by `limit` while `page.has_more` is true; meant for bounded lookups. To read everything, begin with an empty `cursor` and continue with `page.next_cursor` until it is null: a late page costs as much as the first. Not a snapshot.',
  tag: 'Companies',
  query: companiesQuery,
  elsewhere: { orgnr: 'read one with GET /companies/{orgNr}' },
  outcomes: { 200: 'A page of companies.' },
  answers: { 200: companiesAnswer },
  fails: [],
  async handle({ query, tenant }) {
    const { limit, offset = 0, cursor, sort, assigned_to, ...rest } = query;
    if (!isBeyond(query, COMPANIES_CONTRACT)) {
      const rows = await tenant.rows(listCompanies, { limit: limit + 1, offset });
      return answer(200, pageOf(rows, { limit, offset }));
    }
    const filters = filtersOf({ assigned_to, ...rest });
    const found = await listPage(companyList, tenant, { limit, cursor, sort }, filters);
    const { size, ...place } = found.page;
    return answer(200, { data: found.data, page: { size, offset: 0, ...place } });
  },
});

export const postCompany = (register: Register) =>
  operation({
    operationId: 'addCompany',
    summary: 'Create a company, or find the existing one',
    description:
      'Give the organisation number; the service fills in the rest from the register. A company that the workspace already has is returned unchanged, with `created` false. Safe to repeat: concurrent requests converge on one company.',
    tag: 'Companies',
    body: companyCreate,
    outcomes: {
      201: 'The company was created.',
      200: 'The workspace already has the company; it is unchanged.',
    },
    answers: { 201: companyAddedAnswer, 200: companyAddedAnswer },
    etag: true,
    fails: ['invalid_reference', 'company_deleted', 'not_in_register', 'register_unavailable'],
    async handle({ body, tenant, caller, waitAside }) {
      const source = caller.kind === 'user' ? 'application' : 'api';
      const added = await addCompany(tenant, register, { ...body, source }, waitAside);
      const { etag, ...data } = added.data;
      return added.created
        ? answer(201, { data, created: true }, { etag })
        : answer(200, { data, created: false }, { etag });
    },
  });

export const getCompany = operation({
  operationId: 'getCompany',
  summary: 'Read a company by organisation number',
  description: 'Searches only the workspace, not the national register.',
  tag: 'Companies',
  params: companyParams,
  outcomes: { 200: 'The company.' },
  answers: { 200: companyAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { orgNr }, tenant, caller }) {
    const company = await tenant.row(findCompany, { orgnr: orgNr });
    // People see deleted companies and can restore them.
    if (company?.is_deleted && caller.kind === 'user') return answerOne(200, company);
    return answerOne(200, requireShown(company, orgNr));
  },
});

export const patchCompany = operation({
  operationId: 'updateCompany',
  summary: 'Change status, assignment or contact details',
  description: 'Omitted fields stay unchanged; null clears a nullable field.',
  tag: 'Companies',
  params: companyParams,
  body: companyUpdate,
  outcomes: { 200: 'The company as it is now.' },
  answers: { 200: companyAnswer },
  etag: true,
  fails: ['not_found', 'invalid_reference'],
  async handle({ params: { orgNr: orgnr }, body, tenant, match }) {
    if (body.assigned_to) {
      const { etag } = requireShown(await tenant.row(findCompany, { orgnr }), orgnr);
      requireMatch(etag, match, `Company ${orgnr}`);
      await checkReferences(tenant, body);
    }
    const updated = await tenant.row(updateCompany, {
      ...patchParameters(COMPANY_CHANGEABLE, body),
      kept_fields: CONTACT_FIELDS.filter((field) => field in body),
      orgnr,
      if_match: match,
    });
    if (updated) return answerOne(200, updated);
    requireShown(await tenant.row(findCompany, { orgnr }), orgnr);
    throw missed(match, `Company ${orgnr}`);
  },
});

/** @throws {Problem} not_found for a company that is missing or deleted */
export function requireShown(company: StoredCompany | undefined, orgnr: string): StoredCompany {
  if (!company || company.is_deleted) throw notFound(`Company ${orgnr}`);
  return company;
}
