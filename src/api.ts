import { companyEndpoints } from './companies/endpoints.ts';
import { contactDetailsEndpoints } from './contacts/details-endpoints.ts';
import { contactEndpoints } from './contacts/endpoints.ts';
import type { Endpoint } from './http/endpoint.ts';
import { getMe } from './keys/endpoints.ts';
import { offerEndpoints } from './offers/endpoints.ts';
import type { Register } from './register/register.ts';
import { taskEndpoints } from './tasks/endpoints.ts';
import { getUsers } from './users/endpoints.ts';

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
