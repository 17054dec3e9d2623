import { patchParameters } from '../db/columns.ts';
import { requireMatch } from '../http/conditional.ts';
import { answer, answerOne, operation } from '../http/endpoint.ts';
import { pageOf } from '../http/paging.ts';
import { notFound, preconditionFailed } from '../http/problem.ts';
import type { Register } from '../register/register.ts';
import { checkReferences } from './references.ts';
import { addCompany } from './add.ts';
import {
  companiesAnswer,
  companiesQuery,
  COMPANY_CHANGEABLE,
  companyAddedAnswer,
  companyAnswer,
  companyCreate,
  companyParams,
  companyUpdate,
  CONTACT_FIELDS,
  noteAnswer,
  noteCreate,
} from './schema.ts';
import { findCompany, insertNote, listCompanies, updateCompany, type StoredCompany } from './store.ts';

export const getCompanies = operation({
  operationId: 'listCompanies',
  summary: 'List companies',
  description:
    'Ordered by CRM id; archived companies are included, deleted ones are not. Advance `offset` by `limit` while `page.has_more` is true. Not a snapshot: meant for bounded lookups, not for a full export.',
  tag: 'Companies',
  query: companiesQuery,
  outcomes: { 200: 'A page of companies.' },
  answers: { 200: companiesAnswer },
  fails: [],
  async handle({ query: { limit, offset }, tenant }) {
    const rows = await tenant.rows(listCompanies, { limit: limit + 1, offset });
    return answer(200, pageOf(rows, { limit, offset }));
  },
});

export const postCompany = (register: Register) =>
  operation({
    operationId: 'addCompany',
    summary: 'Create a company, or find the existing one',
    description:
      'Give the organisation number; the service fills in the rest from the national register. A company the workspace has already comes back unchanged, with `created` false. Safe to repeat: concurrent requests converge on one company.',
    tag: 'Companies',
    body: companyCreate,
    outcomes: {
      201: 'The company was created.',
      200: 'The workspace has the company already; it is unchanged.',
    },
    answers: { 201: companyAddedAnswer, 200: companyAddedAnswer },
    etag: true,
    fails: ['invalid_reference', 'company_deleted', 'not_in_register', 'register_unavailable'],
    async handle({ body, tenant, stepAside }) {
      const added = await addCompany(tenant, register, body, stepAside);
      const { etag, ...data } = added.data;
      return added.created
        ? answer(201, { data, created: true }, { etag })
        : answer(200, { data, created: false }, { etag });
    },
  });

export const getCompany = operation({
  operationId: 'getCompany',
  summary: 'Read a company by organisation number',
  description: 'Searches the workspace alone, not the national register.',
  tag: 'Companies',
  params: companyParams,
  outcomes: { 200: 'The company.' },
  answers: { 200: companyAnswer },
  etag: true,
  fails: ['not_found'],
  async handle({ params: { orgNr }, tenant }) {
    return answerOne(200, shown(await tenant.row(findCompany, { orgnr: orgNr }), orgNr));
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
    const changesNothing = Object.keys(body).length === 0;
    if (changesNothing || body.assigned_to) {
      const data = shown(await tenant.row(findCompany, { orgnr }), orgnr);
      requireMatch(data.etag, match, `Company ${orgnr}`);
      if (changesNothing) return answerOne(200, data);
      await checkReferences(tenant, { user: ['assigned_to', body.assigned_to] });
    }
    const updated = await tenant.row(updateCompany, {
      ...patchParameters(COMPANY_CHANGEABLE, body),
      kept_fields: CONTACT_FIELDS.filter((field) => field in body),
      orgnr,
      if_match: match,
    });
    if (updated) return answerOne(200, updated);
    shown(await tenant.row(findCompany, { orgnr }), orgnr);
    throw preconditionFailed(`Company ${orgnr}`);
  },
});

export const postNote = operation({
  operationId: 'addCompanyNote',
  summary: 'Add a note to the company timeline',
  description:
    'Plain text, attributed to the creator of the API key. Every successful request adds a note: after a timeout, check the company timeline before sending again.',
  tag: 'Companies',
  params: companyParams,
  body: noteCreate,
  outcomes: { 201: 'The note was added.' },
  answers: { 201: noteAnswer },
  fails: ['not_found'],
  async handle({ params: { orgNr: orgnr }, body: { text }, tenant }) {
    const note = await tenant.row(insertNote, { orgnr, text });
    if (!note) throw noCompany(orgnr);
    return answer(201, { data: note });
  },
});

/** @throws {Problem} not_found for a company that is missing or deleted */
function shown(company: StoredCompany | undefined, orgnr: string): StoredCompany {
  if (!company || company.is_deleted) throw noCompany(orgnr);
  return company;
}

function noCompany(orgnr: string) {
  return notFound(`Company ${orgnr}`);
}
