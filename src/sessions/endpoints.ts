import type { Database } from '../db/connect.ts';
import { answer, noContent, openOperation, operation } from '../http/endpoint.ts';
import { notFound, Problem } from '../http/problem.ts';
import { emailKey } from '../members/store.ts';
import { listOtherWays } from '../members/ways-in.ts';
import { countAttempt } from './attempts.ts';
import { digestOf } from '../keys/key.ts';
import { describeSession, enter, provenBy } from './enter.ts';
import { verifyPassword } from './password.ts';
import {
  welcomeLinkAnswer,
  welcomeLinkParams,
  moveBody,
  sessionAnswer,
  sessionParams,
  sessionsAnswer,
  signInBody,
  welcomeBody,
} from './schema.ts';
import {
  deleteOtherSessions,
  deleteSession,
  deleteSessionByDigest,
  findAccount,
  findPassword,
  findSession,
  hasSession,
  listSessions,
  moveSession,
} from './store.ts';
import { followLink, readLink, targetOf } from './welcome.ts';

export const signIn = (db: Database) =>
  openOperation({
    operationId: 'signIn',
    summary: 'Sign in with a password',
    description: 'Takes the same time and gives the same answer whether the address is known or not.',
    body: signInBody,
    answers: { 200: sessionAnswer },
    fails: ['sign_in_failed', 'no_workspace', 'not_found', 'link_used', 'sign_in_first'],
    async handle({ body, visitor }) {
      // Read first: an attempt that is counted and then fails for another reason looks like a wrong password.
      const account = await db.row(findAccount, { emailKey: emailKey(body.email) });
      const judge = await countAttempt(db, { account: emailKey(body.email), network: visitor.network }).catch(
        (error: unknown) => {
          if (error instanceof Problem) visitor.log({ reason: 'too many attempts' }, 'sign-in refused');
          throw error;
        },
      );
      const isRight = await judge(() => verifyPassword(body.password, account?.password_hash ?? null));
      if (!account || !isRight) {
        const reason = !account
          ? 'unknown address'
          : account.password_hash
            ? 'wrong password'
            : 'no password set';
        visitor.log({ reason, user_id: account?.user_id }, 'sign-in refused');
        throw new Problem('sign_in_failed', 'Email address or password is wrong');
      }
      const { user_id, password_hash } = account;
      const proven = provenBy(visitor, user_id, async (transaction) => {
        const now = await transaction.row(findPassword, { user_id });
        return now?.password_hash === password_hash;
      });
      return enter(db, visitor, await targetOf(db, proven, body.link));
    },
  });

export const readWelcome = (db: Database) =>
  openOperation({
    operationId: 'readWelcome',
    summary: 'What a link is for',
    description: 'An invitation to a workspace, or a new password.',
    params: welcomeLinkParams,
    answers: { 200: welcomeLinkAnswer },
    fails: ['not_found', 'link_used'],
    async handle({ params: { token } }) {
      const {
        user_id,
        tenant_id: _,
        is_over: _over,
        is_known,
        ...link
      } = await readLink(db, digestOf(token));
      const needs_sign_in = link.kind === 'invitation' && is_known;
      const other_ways = link.kind === 'reset' ? await listOtherWays(db, user_id) : null;
      return answer(200, { data: { ...link, needs_sign_in, other_ways } });
    },
  });

export const followWelcome = (db: Database) =>
  openOperation({
    operationId: 'followWelcome',
    summary: 'Accept an invitation, or set a new password',
    description: 'Works once; the person is signed in afterwards.',
    params: welcomeLinkParams,
    body: welcomeBody,
    answers: { 200: sessionAnswer },
    fails: ['sign_in_failed', 'no_workspace', 'not_found', 'link_used', 'sign_in_first'],
    async handle({ params: { token }, body, visitor }) {
      const session =
        visitor.token === undefined
          ? undefined
          : await db.row(findSession, { digest: digestOf(visitor.token) });
      const proven = session && {
        session_id: session.id,
        ...provenBy(visitor, session.user_id, async (transaction) => {
          return (await transaction.row(hasSession, { id: session.id })) !== undefined;
        }),
      };
      const { reset, ...target } = await followLink(db, digestOf(token), body, proven);
      if (reset) visitor.log({ user_id: target.user_id, ...reset }, 'password reset');
      return enter(db, visitor, target);
    },
  });

export const signOut = (db: Database) =>
  openOperation({
    operationId: 'signOut',
    summary: 'End the session',
    description: 'Succeeds also where there is none.',
    answers: { 204: noContent },
    fails: [],
    async handle({ visitor: { token } }) {
      if (token !== undefined) await db.row(deleteSessionByDigest, { digest: digestOf(token) });
      return answer(204, undefined, { session: null });
    },
  });

export const getSession = (db: Database) =>
  operation({
    operationId: 'getSession',
    summary: 'Who is signed in, and where',
    description: 'The person, the workspace shown, the role in it, and the workspaces to choose from.',
    answers: { 200: sessionAnswer },
    fails: [],
    async handle({ caller, tenant }) {
      const data = await describeSession(db, { user_id: caller.userId, tenant_id: tenant.id });
      return answer(200, { data });
    },
  });

export const moveToWorkspace = (db: Database) =>
  operation({
    operationId: 'moveToWorkspace',
    summary: 'Show another workspace',
    description: 'One that the person has joined.',
    body: moveBody,
    answers: { 200: sessionAnswer },
    fails: ['not_found'],
    unrepeatable: true,
    async handle({ caller, body }) {
      const target = { user_id: caller.userId, tenant_id: body.workspace_id };
      if (!(await db.row(moveSession, { id: caller.sessionId!, ...target }))) {
        throw new Problem('not_found', 'You are not a member of this workspace');
      }
      return answer(200, { data: await describeSession(db, target) });
    },
  });

export const getSessions = (db: Database) =>
  operation({
    operationId: 'listSessions',
    summary: 'Where you are signed in',
    description: 'Newest use first.',
    answers: { 200: sessionsAnswer },
    fails: [],
    async handle({ caller }) {
      const rows = await db.rows(listSessions, { user_id: caller.userId });
      return answer(200, { data: rows.map((row) => ({ ...row, is_current: row.id === caller.sessionId })) });
    },
  });

export const endSession = (db: Database) =>
  operation({
    operationId: 'endSession',
    summary: 'End one of your sessions',
    description: 'At once, in every process.',
    params: sessionParams,
    answers: { 204: noContent },
    fails: ['not_found'],
    async handle({ params: { id }, caller }) {
      if (!(await db.row(deleteSession, { user_id: caller.userId, id }))) throw notFound(`Session ${id}`);
      return answer(204, undefined);
    },
  });

export const endOtherSessions = (db: Database) =>
  operation({
    operationId: 'endOtherSessions',
    summary: 'End all your sessions but this one',
    description: 'At once, in every process.',
    answers: { 204: noContent },
    fails: [],
    async handle({ caller }) {
      await db.rows(deleteOtherSessions, { user_id: caller.userId, kept: caller.sessionId! });
      return answer(204, undefined);
    },
  });
