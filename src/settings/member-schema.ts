import { z } from 'zod';
import { email, requiredText, text, timestamp, uuid } from '../http/fields.ts';
import { cursorPage, cursorPaging } from '../http/paging.ts';
import { roleField, userId } from '../members/schema.ts';
import { key } from './key-schema.ts';

const member = z.strictObject({
  id: uuid,
  email: z.string(),
  first_name: text(255),
  last_name: text(255),
  role: roleField,
  is_last_owner: z.boolean().meta({
    description: 'The workspace would be left without an owner: cannot give up the role or be removed.',
  }),
  joined_at: timestamp
    .nullable()
    .meta({ description: 'When they accepted the invitation; null until then.' }),
  added_at: timestamp,
  last_used_at: timestamp.nullable().meta({
    description: 'When they last used the application here, to within some minutes; shown to admins.',
  }),
  invitation_expires_at: timestamp.nullable().meta({ description: 'Null where no open link leads in.' }),
  may: z
    .strictObject({ change_role: z.boolean(), remove: z.boolean(), invite: z.boolean(), reset: z.boolean() })
    .meta({ description: 'What the person who asks may do about them.' }),
});

export type ListedMember = z.output<typeof member>;

export const membersQuery = z.strictObject(cursorPaging);

export const membersAnswer = z.strictObject({ data: z.array(member), page: cursorPage });

export const memberAnswer = z.strictObject({ data: member });

export const memberParams = z.strictObject({ id: uuid });

export const invitationBody = z.strictObject({
  email,
  first_name: requiredText(255).optional(),
  last_name: text(255).optional(),
  role: roleField.optional().meta({ description: 'Of a new member; `member` when absent.' }),
});

const path = z.string().meta({ description: 'Below the address of the service; shown only once.' });

export const invitationAnswer = z.strictObject({
  data: z.strictObject({ member, path, expires_at: timestamp }),
});

export const resetAnswer = z.strictObject({ data: z.strictObject({ path, expires_at: timestamp }) });

export const roleBody = z.strictObject({
  role: roleField,
  from: roleField.optional().meta({ description: 'Refused with 409 unless the person has this role now.' }),
});

const capped = z.int().meta({ description: 'Counted to 10 001 at most.' });

export const leavingAnswer = z.strictObject({
  data: z.strictObject({
    open_tasks: capped,
    open_offers: capped,
    companies: capped,
    keys: z.array(key.pick({ id: true, name: true, last_used_at: true, requests_24h: true })),
  }),
});

export const removalBody = z.strictObject({
  hand_over_to: userId.nullable().optional().meta({
    description: 'The member who takes over open tasks, open offers and companies.',
  }),
});

export const removalAnswer = z.strictObject({
  data: z.strictObject({
    tasks: z.int(),
    offers: z.int(),
    companies: z.int(),
    revoked_keys: z.int(),
  }),
});
