import { companyEndpoints } from './companies/endpoints.ts';
import { contactDetailsEndpoints } from './contacts/details-endpoints.ts';
import { contactEndpoints } from './contacts/endpoints.ts';
import type { Endpoint } from './http/endpoint.ts';
import { getMe } from './keys/endpoints.ts';
import { offerEndpoints } from './offers/endpoints.ts';
import type { Register } from './register/register.ts';
import { taskEndpoints } from './tasks/endpoints.ts';
import { getUsers } from './members/endpoints.ts';

/** What the operations are about, in the order the reference shows them. */
export const TAGS = {
  Account: 'The API key and what it may do.',
  Users: 'The members of the workspace: who tasks, offers and companies are assigned to.',
  Companies: 'Norwegian companies by organisation number, filled in from the register, and notes on them.',
  Contacts: 'People, how to reach them, and the companies they are linked to.',
  Tasks: 'What a member is to do, and when.',
  Offers: 'Sales opportunities at a company: value, probability and status.',
};

/** Every operation of the interface, in the order the reference shows them. */
export function api({ register }: { register: Register }): Endpoint[] {
  return [
    getMe,
    getUsers,
    ...companyEndpoints(register),
    ...contactEndpoints,
    ...contactDetailsEndpoints,
    ...taskEndpoints,
    ...offerEndpoints,
  ];
}
