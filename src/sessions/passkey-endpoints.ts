import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import { z } from 'zod';
import type { Database, Queryable } from '../db/connect.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import { answer, noContent, openOperation, operation } from '../http/endpoint.ts';
import { requiredText, text } from '../http/fields.ts';
import { invalidRequest, notFound, Problem } from '../http/problem.ts';
import { urlOf } from '../http/same-origin.ts';
import { listPasskeys, MAX_PASSKEYS } from '../members/ways-in.ts';
import { enter, holdSession, provenBy, removeWays } from './enter.ts';
import { deletePasskey, findPasskey, insertPasskey, usePasskey } from './passkey-store.ts';
import type { Provider } from './provider.ts';
import { invitationLink, passkeysAnswer, sessionAnswer } from './schema.ts';
import { beginStep, endStep } from './steps.ts';
import { findProfile } from './store.ts';
import { targetOf } from './welcome.ts';

/** This library is a quarter of all modules of the service, so it is loaded only when a passkey is first used. */
const webauthn = () => import('@simplewebauthn/server');

const options = z.looseObject({ challenge: z.string() });
const optionsAnswer = z.strictObject({ data: options });

const passkeyId = text(1400);

/** What a browser's authenticator said; the library checks the rest of it. */
const response = z.looseObject({
  id: passkeyId,
  response: z.looseObject({ clientDataJSON: z.string(), transports: z.array(text(255)).optional() }),
});

export const beginPasskey = (db: Database) =>
  operation({
    operationId: 'beginPasskey',
    summary: 'Begin to add a passkey',
    description: 'For navigator.credentials.create in the browser.',
    answers: { 200: optionsAnswer },
    fails: ['limit_reached'],
    async handle({ caller: { userId: user_id }, origin }) {
      const profile = (await db.row(findProfile, { user_id }))!;
      const known = await listWithRoom(db, user_id);
      const { generateRegistrationOptions } = await webauthn();
      const created = await generateRegistrationOptions({
        rpName: 'Kundebok',
        rpID: urlOf(origin).hostname,
        userName: profile.email,
        userDisplayName: `${profile.first_name} ${profile.last_name}`,
        userID: Buffer.from(user_id),
        excludeCredentials: known.map(({ id, transports }) => ({ id, transports })),
        // The passkey signs in without an address, and verifies the person who holds it.
        authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
      });
      await beginStep(db, { kind: 'new_passkey', random: created.challenge, user_id, content: {} });
      return answer(200, { data: { ...created } });
    },
  });

export const addPasskey = (db: Database) =>
  operation({
    operationId: 'addPasskey',
    summary: 'Add a passkey',
    description: 'With what the authenticator answered.',
    body: z.strictObject({ name: requiredText(255), response }),
    answers: { 201: passkeysAnswer },
    fails: ['limit_reached'],
    async handle({ caller, origin, body }) {
      const { userId: user_id } = caller;
      await listWithRoom(db, user_id);
      const { verifyRegistrationResponse } = await webauthn();
      const verified = await verifyRegistrationResponse({
        response: body.response as unknown as RegistrationResponseJSON,
        expectedChallenge: async (challenge) =>
          (await endStep(db, 'new_passkey', challenge))?.user_id === user_id,
        expectedOrigin: origin,
        expectedRPID: urlOf(origin).hostname,
        requireUserVerification: true,
      }).catch((error: unknown) => {
        throw error instanceof DatabaseUnavailable ? error : refused();
      });
      if (!verified.registrationInfo) throw refused();
      const { id, publicKey, counter, transports = [] } = verified.registrationInfo.credential;
      const passkey = {
        id,
        user_id,
        public_key: Buffer.from(publicKey),
        counter,
        transports,
        name: body.name,
      };
      const added = await db.transaction(async (transaction) => {
        await holdSession(transaction, caller);
        await listWithRoom(transaction, user_id);
        return transaction.row(insertPasskey, passkey);
      });
      if (!added) throw refused('is of a passkey that is already registered');
      return answer(201, { data: await db.rows(listPasskeys, { user_id }) });
    },
  });

/** The passkeys of a person who may add one more. @throws {Problem} limit_reached */
async function listWithRoom(db: Queryable, user_id: string) {
  const passkeys = await db.rows(listPasskeys, { user_id });
  if (passkeys.length < MAX_PASSKEYS) return passkeys;
  throw new Problem('limit_reached', `You already have ${MAX_PASSKEYS} passkeys: remove one first`);
}

export const getPasskeys = (db: Database) =>
  operation({
    operationId: 'listPasskeys',
    summary: 'List your passkeys',
    description: 'Oldest first.',
    answers: { 200: passkeysAnswer },
    fails: [],
    handle: async ({ caller }) =>
      answer(200, { data: await db.rows(listPasskeys, { user_id: caller.userId }) }),
  });

export const removePasskey = (db: Database, provider: Provider | undefined) =>
  operation({
    operationId: 'removePasskey',
    summary: 'Remove a passkey',
    description: 'It can no longer be used to sign in. The last way to sign in cannot be removed.',
    params: z.strictObject({ id: passkeyId }),
    answers: { 204: noContent },
    fails: ['not_found', 'last_way_in'],
    async handle({ params: { id }, caller }) {
      const [removed] = await removeWays({ db, provider }, caller, (transaction) =>
        transaction.rows(deletePasskey, { user_id: caller.userId, id }),
      );
      if (!removed) throw notFound('The passkey');
      return answer(204, undefined);
    },
  });

export const beginPasskeySignIn = (db: Database) =>
  openOperation({
    operationId: 'beginPasskeySignIn',
    summary: 'Begin to sign in with a passkey',
    description:
      'For navigator.credentials.get in the browser. Names no passkeys, so that nobody learns who has one.',
    answers: { 200: optionsAnswer },
    fails: [],
    async handle({ visitor: { origin } }) {
      const { generateAuthenticationOptions } = await webauthn();
      const created = await generateAuthenticationOptions({
        rpID: urlOf(origin).hostname,
        userVerification: 'required',
      });
      await beginStep(db, { kind: 'passkey', random: created.challenge, user_id: null, content: {} });
      return answer(200, { data: { ...created } });
    },
  });

export const signInWithPasskey = (db: Database) =>
  openOperation({
    operationId: 'signInWithPasskey',
    summary: 'Sign in with a passkey',
    description: 'With what the authenticator answered.',
    body: z.strictObject({ response, link: invitationLink }),
    answers: { 200: sessionAnswer },
    fails: ['sign_in_failed', 'no_workspace', 'not_found', 'link_used', 'sign_in_first'],
    async handle({ body, visitor }) {
      const fail = (reason: string, cause?: unknown) => {
        visitor.log({ reason }, 'sign-in refused');
        return new Problem(
          'sign_in_failed',
          'The passkey was not accepted: try again, or sign in another way',
          { cause },
        );
      };
      const passkey = await db.row(findPasskey, { id: body.response.id });
      if (!passkey) throw fail('unknown passkey');
      const { verifyAuthenticationResponse } = await webauthn();
      const { verified, authenticationInfo } = await verifyAuthenticationResponse({
        response: body.response as unknown as AuthenticationResponseJSON,
        expectedChallenge: async (challenge) => (await endStep(db, 'passkey', challenge)) !== undefined,
        expectedOrigin: visitor.origin,
        expectedRPID: urlOf(visitor.origin).hostname,
        requireUserVerification: true,
        credential: {
          id: passkey.id,
          publicKey: new Uint8Array(passkey.public_key),
          counter: passkey.counter,
          transports: passkey.transports,
        },
      }).catch((error: unknown) => {
        throw error instanceof DatabaseUnavailable ? error : fail('passkey not verified', error);
      });
      const used = { id: passkey.id, counter: authenticationInfo.newCounter };
      if (!verified || !(await db.row(usePasskey, used))) throw fail('passkey not verified');
      const proven = provenBy(visitor, passkey.user_id, async (transaction) => {
        return (await transaction.row(findPasskey, { id: passkey.id })) !== undefined;
      });
      return enter(db, visitor, await targetOf(db, proven, body.link));
    },
  });

function refused(message = 'was not accepted: add the passkey again'): Problem {
  return invalidRequest([{ field: 'response', message }]);
}
