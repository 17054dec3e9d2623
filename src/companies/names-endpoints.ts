import { z } from 'zod';
import { answer, operation } from '../http/endpoint.ts';
import { isUuid } from '../http/fields.ts';
import { COMPANY_NAME_COLUMNS, findCompanyNames } from './names.ts';
import { company } from './schema.ts';

const MAX_IDS = 100;

/** Ids with commas between them. */
const ids = z
  .string()
  .transform((value) => [...new Set(value.toLowerCase().split(','))])
  .refine((all) => all.every(isUuid), 'must be UUIDs with commas between them')
  .refine((all) => all.length <= MAX_IDS, `must be at most ${MAX_IDS}`)
  .meta({ override: { type: 'string' } });

const named = company.pick(
  Object.fromEntries(COMPANY_NAME_COLUMNS.map((column) => [column, true])) as {
    [Column in (typeof COMPANY_NAME_COLUMNS)[number]]: true;
  },
);

export const getCompanyNames = operation({
  operationId: 'findCompanyNames',
  summary: 'Look up names of companies by id',
  description: 'Deleted companies, too: contacts, tasks and offers keep referring to them.',
  tag: 'Companies',
  query: z.strictObject({ ids }),
  outcomes: { 200: 'Those that there are, in no order.' },
  answers: { 200: z.strictObject({ data: z.array(named) }) },
  fails: [],
  async handle({ query, tenant }) {
    return answer(200, { data: await tenant.rows(findCompanyNames, { ids: query.ids }) });
  },
});
