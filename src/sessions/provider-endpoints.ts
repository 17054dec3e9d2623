import { randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Database } from '../db/connect.ts';
import { answer, noContent, openOperation, operation } from '../http/endpoint.ts';
import { timestamp } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import { digestOf } from '../keys/key.ts';
import { enter, holdSession, provenBy, removeWays } from './enter.ts';
import { listIdentities } from '../members/ways-in.ts';
import { deleteIdentities, findIdentity, insertIdentity } from './identity-store.ts';
import type { Checks, Identity, Provider } from './provider.ts';
import { invitationLink, sessionAnswer } from './schema.ts';
import { beginStep, endStep } from './steps.ts';
import { findAnyLink, followLink } from './welcome.ts';

const methodsAnswer = z.strictObject({
  data: z.strictObject({ sso: z.boolean(), sso_name: z.string().nullable() }),
});

const beginAnswer = z.strictObject({
  data: z.strictObject({
    location: z.string().meta({ description: 'Where to send the browser.' }),
    secret: z.string().meta({ description: 'Kept by this browser alone, and sent when it comes back.' }),
  }),
});

const finishBody = z.strictObject({
  parameters: z
    .string()
    .max(8_000)
    .meta({ description: 'The query string with which the browser came back.' }),
  secret: z.string().max(255),
});

const identitiesAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      issuer: z.string(),
      created_at: timestamp,
      is_current: z.boolean().meta({ description: 'Whether it is at the configured provider.' }),
    }),
  ),
});

/** What is remembered while the browser is at the provider; only digests of the secret and an invitation's token. */
type Step = { checks: Checks; secret: string; invitation?: string };

export const getMethods = (provider: Provider | undefined) =>
  openOperation({
    operationId: 'listSignInMethods',
    summary: 'Ways to sign in',
    description: 'Besides a password and a passkey.',
    answers: { 200: methodsAnswer },
    fails: [],
    handle: async () =>
      answer(200, { data: { sso: provider !== undefined, sso_name: provider?.name ?? null } }),
  });

export const beginProviderSignIn = (db: Database, provider: Provider | undefined) =>
  openOperation({
    operationId: 'beginProviderSignIn',
    summary: 'Begin to sign in at the identity provider',
    description: 'With the token of an invitation, the account there is linked to the invited person.',
    body: z.strictObject({ link: invitationLink }),
    answers: { 200: beginAnswer },
    fails: ['not_found', 'provider_unavailable'],
    async handle({ body: { link }, visitor: { origin } }) {
      const invitation = link === undefined ? undefined : digestOf(link);
      // Whether a link that is over still lets somebody in is decided once they have come back.
      if (invitation) await findAnyLink(db, invitation);
      return answer(200, { data: await begin(db, provider, origin, null, invitation) });
    },
  });

export const finishProviderSignIn = (db: Database, provider: Provider | undefined) =>
  openOperation({
    operationId: 'finishProviderSignIn',
    summary: 'Sign in with what the identity provider answered',
    description: 'An account there is known by issuer and subject, never by an address.',
    body: finishBody,
    answers: { 200: sessionAnswer },
    fails: [
      'sign_in_failed',
      'no_workspace',
      'account_not_linked',
      'account_linked_elsewhere',
      'not_found',
      'link_used',
      'sign_in_first',
      'provider_unavailable',
    ],
    async handle({ body, visitor }) {
      const { identity, invitation } = await finish(db, provider, body, null).catch((error: unknown) => {
        if (error instanceof Problem && error.code === 'sign_in_failed') {
          const { cause: err } = error;
          const reason = err ? 'provider did not confirm' : 'took too long, or began in another browser';
          visitor.log({ reason, err }, 'sign-in refused');
        }
        throw error;
      });
      const known = (await db.row(findIdentity, identity))?.user_id;
      const proven =
        known === undefined
          ? undefined
          : provenBy(visitor, known, async (transaction) => {
              return (await transaction.row(findIdentity, identity))?.user_id === known;
            });
      if (invitation) return enter(db, visitor, await followLink(db, invitation, { identity }, proven));
      if (proven) return enter(db, visitor, { ...proven, tenant_id: null });
      visitor.log({ reason: 'unknown identity' }, 'sign-in refused');
      throw new Problem(
        'account_not_linked',
        'No user is linked to this account: open an invitation link, or sign in another way and link the account in your profile',
      );
    },
  });

export const beginIdentity = (db: Database, provider: Provider | undefined) =>
  operation({
    operationId: 'beginIdentity',
    summary: 'Begin to link your account at the identity provider',
    description: 'To sign in with it from then on.',
    answers: { 200: beginAnswer },
    fails: ['provider_unavailable'],
    unrepeatable: true,
    handle: async ({ caller, origin }) =>
      answer(200, { data: await begin(db, provider, origin, caller.userId) }),
  });

export const addIdentity = (db: Database, provider: Provider | undefined) =>
  operation({
    operationId: 'addIdentity',
    summary: 'Link your account at the identity provider',
    description: 'With what the provider answered.',
    body: finishBody,
    answers: { 201: identitiesAnswer },
    fails: ['sign_in_failed', 'account_linked_elsewhere', 'provider_unavailable'],
    async handle({ body, caller }) {
      const { userId: user_id } = caller;
      const { identity } = await finish(db, provider, body, user_id);
      await db.transaction(async (transaction) => {
        await holdSession(transaction, caller);
        await transaction.row(insertIdentity, { ...identity, user_id });
      });
      if ((await db.row(findIdentity, identity))?.user_id !== user_id) {
        throw new Problem('account_linked_elsewhere', 'This account is already linked to another user');
      }
      return answer(201, { data: await identitiesOf(db, provider, user_id) });
    },
  });

export const getIdentities = (db: Database, provider: Provider | undefined) =>
  operation({
    operationId: 'listIdentities',
    summary: 'Linked accounts at identity providers',
    description: 'Oldest first.',
    answers: { 200: identitiesAnswer },
    fails: [],
    handle: async ({ caller }) => answer(200, { data: await identitiesOf(db, provider, caller.userId) }),
  });

export const removeIdentities = (db: Database, provider: Provider | undefined) =>
  operation({
    operationId: 'removeIdentities',
    summary: 'Unlink your accounts at identity providers',
    description: 'They can no longer be used to sign in. The last way to sign in cannot be removed.',
    answers: { 204: noContent },
    fails: ['last_way_in'],
    async handle({ caller }) {
      await removeWays({ db, provider }, caller, (transaction) =>
        transaction.rows(deleteIdentities, { user_id: caller.userId }),
      );
      return answer(204, undefined);
    },
  });

async function identitiesOf(db: Database, provider: Provider | undefined, user_id: string) {
  const identities = await db.rows(listIdentities, { user_id });
  return identities.map((one) => ({ ...one, is_current: provider?.isIssuer(one.issuer) ?? false }));
}

async function begin(
  db: Database,
  provider: Provider | undefined,
  origin: string,
  user_id: string | null,
  invitation?: Buffer,
): Promise<{ location: string; secret: string }> {
  const { location, checks } = await configured(provider).begin(origin);
  const secret = randomBytes(32).toString('base64url');
  const content: Step = {
    checks,
    secret: digestOf(secret).toString('base64url'),
    ...(invitation && { invitation: invitation.toString('base64url') }),
  };
  await beginStep(db, { kind: 'provider', random: checks.state, user_id, content });
  return { location, secret };
}

/** Only the browser that began can finish, so that nobody can sign another person in to an account not theirs. */
async function finish(
  db: Database,
  provider: Provider | undefined,
  { parameters, secret }: z.infer<typeof finishBody>,
  user_id: string | null,
): Promise<{ identity: Identity; invitation: Buffer | undefined }> {
  const state = new URLSearchParams(parameters).get('state') ?? '';
  const step = await endStep(db, 'provider', state);
  const content = step?.content as Step | undefined;
  const isOwn =
    content !== undefined &&
    step?.user_id === user_id &&
    timingSafeEqual(Buffer.from(content.secret, 'base64url'), digestOf(secret));
  if (!isOwn)
    throw new Problem('sign_in_failed', 'This took too long, or began in another browser: try again');
  return {
    identity: await configured(provider).finish(parameters, content.checks),
    invitation: content.invitation === undefined ? undefined : Buffer.from(content.invitation, 'base64url'),
  };
}

function configured(provider: Provider | undefined): Provider {
  if (!provider) throw new Problem('not_found', 'Single sign-on is not available here');
  return provider;
}
