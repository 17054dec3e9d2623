import { z } from 'zod';
import type { Database } from '../db/connect.ts';
import { answer, noContent, operation } from '../http/endpoint.ts';
import { text, requiredText } from '../http/fields.ts';
import { invalidRequest, type Problem } from '../http/problem.ts';
import { endResets } from '../members/link-store.ts';
import { LANGUAGES } from '../workspaces/schema.ts';
import { countAttempt } from './attempts.ts';
import { describeSession, holdSession } from './enter.ts';
import { removeOtherWays } from './identity-store.ts';
import { hashPassword, newPassword, verifyPassword } from './password.ts';
import { sessionAnswer } from './schema.ts';
import { deleteOtherSessions, findPassword, replacePassword, updateProfile } from './store.ts';

const profileUpdate = z
  .strictObject({
    first_name: requiredText(255),
    last_name: text(255),
    language: z.enum(LANGUAGES).nullable(),
  })
  .partial();

export const patchProfile = (db: Database) =>
  operation({
    operationId: 'updateProfile',
    summary: 'Change your names and language',
    description: 'Omitted fields stay unchanged; language null means that of the browser.',
    body: profileUpdate,
    answers: { 200: sessionAnswer },
    fails: [],
    async handle({ body, caller, tenant }) {
      const { userId: user_id } = caller;
      await db.row(updateProfile, {
        user_id,
        first_name: body.first_name ?? null,
        last_name: body.last_name ?? null,
        language: body.language ?? null,
        has_language: body.language !== undefined,
      });
      return answer(200, { data: await describeSession(db, { user_id, tenant_id: tenant.id }) });
    },
  });

export const changePassword = (db: Database) =>
  operation({
    operationId: 'changePassword',
    summary: 'Set a new password',
    description:
      'Requires the current one, if there is one. Your other sessions end, and so do links for a new password.',
    body: z.strictObject({
      current_password: z.string().max(1000).optional(),
      new_password: newPassword,
      remove_other_ways: z.boolean().optional().meta({
        description: 'Whether your passkeys and linked accounts are removed with it. If absent, they stay.',
      }),
    }),
    answers: { 204: noContent },
    fails: [],
    unrepeatable: true,
    async handle({ body, caller }) {
      const { userId: user_id } = caller;
      const { password_hash } = (await db.row(findPassword, { user_id }))!;
      if (password_hash !== null) {
        // With a stolen session, passwords are guessed no faster than without one. No address has U+0000, so sign-ins
        // of strangers are not counted with these.
        const attempt = { account: `\0${user_id}`, network: `session of ${user_id}` };
        const judge = await countAttempt(db, attempt);
        if (!(await judge(() => verifyPassword(body.current_password ?? '', password_hash)))) {
          throw notPresent();
        }
      }
      const changed = { user_id, seen: password_hash, password_hash: await hashPassword(body.new_password) };
      await db.transaction(async (transaction) => {
        await holdSession(transaction, caller);
        if (!(await transaction.row(replacePassword, changed))) throw notPresent();
        await transaction.rows(endResets, { user_id });
        if (body.remove_other_ways) await removeOtherWays(transaction, user_id);
        await transaction.rows(deleteOtherSessions, { user_id, kept: caller.sessionId! });
      });
      return answer(204, undefined);
    },
  });

function notPresent(): Problem {
  return invalidRequest([{ field: 'current_password', message: 'is not your current password' }]);
}
