import { z } from 'zod';
import { text, uuid, uuidField } from '../http/fields.ts';
import { emailFilter } from '../http/filters.ts';
import { ROLES } from './roles.ts';
import { cursor, page, paging, withCursor } from '../http/paging.ts';

/** The id of a user in a body, where callers tend to send the email address. */
export const userId = uuidField((value) =>
  value.includes('@') ? 'must be a UUID, not an email address: GET /users?email= finds the id' : undefined,
);

const user = z
  .strictObject({
    id: uuid,
    email: z.string(),
    first_name: text(255),
    last_name: text(255),
  })
  .meta({
    id: 'User',
    description: 'A member of the workspace.',
    examples: [
      {
        id: '018f3a52-0000-7000-8000-000000000001',
        email: 'ola@example.no',
        first_name: 'Ola',
        last_name: 'Nordmann',
      },
    ],
  });

export type User = z.output<typeof user>;

const USERS_CONTRACT = ['email', ...Object.keys(paging)];

export const usersQuery = withCursor(
  z.strictObject({
    email: emailFilter.meta({
      description: 'Compared regardless of case, unless the address contains an asterisk: then exactly.',
    }),
    cursor,
    ...paging,
  }),
  USERS_CONTRACT,
);

export const usersAnswer = z.strictObject({ data: z.array(user), page });

export const roleField = z.enum(ROLES);

/** Stands for the address of the first owner until that person gives one. */
export const FIRST_OWNER_EMAIL = 'owner@localhost';

/** How an invitation or an import names somebody; null once they have joined, and for those added without either. */
export type Invited = {
  invited_email: string | null;
  invited_first_name: string | null;
  invited_last_name: string | null;
};
