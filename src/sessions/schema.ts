import { z } from 'zod';
import { email, requiredText, timestamp, uuid } from '../http/fields.ts';
import { ROLES } from '../members/roles.ts';
import { passkey, waysIn } from '../members/ways-in.ts';
import { LANGUAGES, workspaceAnswer } from '../workspaces/schema.ts';
import { newPassword } from './password.ts';

const user = z.strictObject({
  id: uuid,
  email: z.string(),
  first_name: z.string(),
  last_name: z.string(),
  language: z.enum(LANGUAGES).nullable().meta({ description: "Null for the browser's." }),
});

export type Profile = z.output<typeof user>;

const workspace = z.strictObject({ ...workspaceAnswer.shape.data.shape, role: z.enum(ROLES) });

export type OwnWorkspace = z.output<typeof workspace>;

/** Who is signed in, and where. */
export const sessionAnswer = z.strictObject({
  data: z.strictObject({
    user,
    workspace: workspaceAnswer.shape.data,
    role: z.enum(ROLES),
    workspaces: z.array(workspace.pick({ id: true, name: true, role: true })),
  }),
});

/** The token of an invitation that signing in accepts: a person without a workspace gets in only with one. */
export const invitationLink = z.string().max(255).optional();

export const signInBody = z.strictObject({
  email: requiredText(254),
  password: z.string().min(1, 'is required').max(1000, 'must be at most 1000 characters'),
  link: invitationLink,
});

/** The token of a link; of any form, since people cut links when they copy them. */
export const welcomeLinkParams = z.strictObject({ token: z.string().max(255) });

export const welcomeLinkAnswer = z.strictObject({
  data: z.strictObject({
    kind: z.enum(['invitation', 'reset']),
    email: z.string(),
    first_name: z.string(),
    last_name: z.string(),
    workspace_name: z.string().nullable(),
    needs_sign_in: z.boolean().meta({
      description:
        'The person has an account and accepts the invitation by signing in to it; no password is set.',
    }),
    other_ways: waysIn.nullable().meta({
      description: 'How the person signs in without the password that the link sets; null for an invitation.',
    }),
  }),
});

export const welcomeBody = z.strictObject({
  first_name: requiredText(255).optional(),
  last_name: requiredText(255).optional(),
  email: email.optional(),
  password: newPassword.optional(),
  remove_other_ways: z.boolean().optional().meta({
    description:
      "With a link for a new password: whether the person's passkeys and linked accounts are removed with it. If absent, they stay.",
  }),
});

const session = z.strictObject({
  id: uuid,
  user_agent: z.string(),
  network: z.string(),
  created_at: timestamp,
  last_used_at: timestamp,
  is_current: z.boolean(),
});

export type ListedSession = z.output<typeof session>;

export const sessionsAnswer = z.strictObject({ data: z.array(session) });

export const passkeysAnswer = z.strictObject({ data: z.array(passkey) });

export const sessionParams = z.strictObject({ id: uuid });

export const moveBody = z.strictObject({ workspace_id: uuid });
