import { z } from 'zod';
import { findNamedCompanies, namedCompany } from '../companies/named.ts';
import { answer, operation } from '../http/endpoint.ts';
import { timestamp } from '../http/fields.ts';
import { limitOf } from '../http/paging.ts';
import { findNamedPeople, namedPerson } from '../members/named.ts';
import { userId } from '../members/schema.ts';
import { offer } from './schema.ts';
import { findWaitingOffers } from './waiting.ts';

const waitingAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      ...offer.pick({
        id: true,
        title: true,
        status: true,
        company_id: true,
        user_id: true,
        one_time_revenue: true,
        recurring_revenue: true,
        recurring_frequency: true,
      }).shape,
      since: timestamp,
      company: namedCompany,
      user: namedPerson,
    }),
  ),
});

export const getWaitingOffers = operation({
  operationId: 'listWaitingOffers',
  summary: 'Open offers that wait longest',
  description: 'Those that have stood in their status longest come first.',
  query: z.strictObject({
    user_id: userId.optional().meta({ description: 'Offers of this user; of everybody when absent.' }),
    limit: limitOf({ max: 25, usual: 5 }),
  }),
  answers: { 200: waitingAnswer },
  fails: [],
  async handle({ query: { user_id = null, limit }, tenant }) {
    const offers = await tenant.rows(findWaitingOffers, { user_id, limit });
    const [companies, people] = await Promise.all([
      tenant.rows(findNamedCompanies, { ids: offers.map(({ company_id }) => company_id), orgnrs: [] }),
      tenant.rows(findNamedPeople, { ids: offers.map((one) => one.user_id) }),
    ]);
    const data = offers.flatMap((one) => {
      const company = companies.find(({ id }) => id === one.company_id);
      const user = people.find(({ id }) => id === one.user_id);
      // Where demo data are being removed, offers go with both.
      return company && user ? [{ ...one, company, user }] : [];
    });
    return answer(200, { data });
  },
});
