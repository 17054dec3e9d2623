import { countRows } from '../db/listing.ts';
import { answer, operation } from '../http/endpoint.ts';
import { listPage } from '../http/listed.ts';
import { found, notFound } from '../http/problem.ts';
import { companyRows, deletedCompanyRows, filtersOf } from './list.ts';
import {
  countAnswer,
  countsAnswer,
  deletionAnswer,
  overviewAnswer,
  overviewCountQuery,
  overviewQuery,
} from './overview-schema.ts';
import { countOfCompany, findDeletion, findNextTasks } from './overview-store.ts';
import { companyParams } from './schema.ts';
import { findCompany } from './store.ts';

export const getOverview = operation({
  operationId: 'listCompaniesWithTasks',
  summary: 'List companies with the next task of each',
  description:
    'Like `GET /companies` by cursor; each company has the time of its last change and its next open task. Deleted ones on request.',
  query: overviewQuery,
  answers: { 200: overviewAnswer },
  fails: [],
  async handle({ query: { limit, cursor, sort, deleted, ...filters }, tenant }) {
    const list = deleted ? deletedCompanyRows : companyRows;
    const { data, page } = await listPage(list, tenant, { limit, cursor, sort }, filtersOf(filters));
    const tasks = await tenant.rows(findNextTasks, { company_ids: data.map(({ id }) => id) });
    const next = new Map(tasks.map(({ company_id, ...task }) => [company_id, task] as const));
    return answer(200, { data: data.map((row) => ({ ...row, next_task: next.get(row.id) ?? null })), page });
  },
});

export const countCompanies = operation({
  operationId: 'countCompanies',
  summary: 'Count companies, up to a limit',
  description: 'How many `GET /companies/overview` lists with the same filters.',
  query: overviewCountQuery,
  answers: { 200: countAnswer },
  fails: [],
  async handle({ query: { deleted, ...filters }, tenant }) {
    const list = deleted ? deletedCompanyRows : companyRows;
    return answer(200, { data: await countRows(list, tenant, filtersOf(filters)) });
  },
});

export const getCompanyCounts = operation({
  operationId: 'countOfCompany',
  summary: 'Count contacts, open tasks and offers of a company',
  description: 'Also of a deleted company.',
  params: companyParams,
  answers: { 200: countsAnswer },
  fails: ['not_found'],
  async handle({ params: { orgNr: orgnr }, tenant }) {
    const company = found(await tenant.row(findCompany, { orgnr }), `Company ${orgnr}`);
    return answer(200, { data: (await tenant.row(countOfCompany, { company_id: company.id }))! });
  },
});

export const getDeletion = operation({
  operationId: 'getCompanyDeletion',
  summary: 'Read when a company was deleted, and by whom',
  description: 'From its timeline.',
  params: companyParams,
  answers: { 200: deletionAnswer },
  fails: ['not_found'],
  async handle({ params: { orgNr: orgnr }, tenant }) {
    const company = await tenant.row(findCompany, { orgnr });
    const data = company?.is_deleted && (await tenant.row(findDeletion, { company_id: company.id }));
    if (!data) throw notFound(`Deleted company ${orgnr}`);
    return answer(200, { data });
  },
});
