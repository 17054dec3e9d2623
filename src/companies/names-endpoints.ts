import { z } from 'zod';
import { answer, operation } from '../http/endpoint.ts';
import { isUuid } from '../http/fields.ts';
import { findNamedCompanies, namedCompany } from './named.ts';

const MAX_IDS = 100;

/** Ids separated by commas. */
const ids = z
  .string()
  .transform((value) => [...new Set(value.toLowerCase().split(','))])
  .refine((all) => all.every(isUuid), 'must be UUIDs with commas between them')
  .refine((all) => all.length <= MAX_IDS, `must be at most ${MAX_IDS} UUIDs`)
  .meta({ override: { type: 'string' } });

export const getCompanyNames = operation({
  operationId: 'findCompanyNames',
  summary: 'Look up names of companies by id',
  description: 'Deleted companies, too: contacts, tasks and offers keep referring to them.',
  query: z.strictObject({ ids }),
  answers: { 200: z.strictObject({ data: z.array(namedCompany) }) },
  fails: [],
  async handle({ query, tenant }) {
    return answer(200, { data: await tenant.rows(findNamedCompanies, { ids: query.ids, orgnrs: [] }) });
  },
});
