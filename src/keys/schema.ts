import { z } from 'zod';
import { uuid } from '../http/fields.ts';

export const accountAnswer = z.strictObject({
  data: z
    .strictObject({
      tenant_id: uuid.meta({ description: 'The workspace.' }),
      user_id: uuid.meta({ description: 'Who created the key.' }),
      permissions: z.int().meta({
        description:
          'The permission mask: bit 0 companies read, 1 companies write, 2 contacts read, 3 contacts write, 4 tasks read, 5 tasks write, 6 offers read, 7 offers write.',
      }),
    })
    .meta({
      id: 'Account',
      examples: [
        {
          tenant_id: '018f3a50-1111-7222-8333-444444444444',
          user_id: '018f3a52-0000-7000-8000-000000000001',
          permissions: 255,
        },
      ],
    }),
});
