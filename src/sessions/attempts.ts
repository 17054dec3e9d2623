import { hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { newId } from '../db/new-id.ts';
import { reading, statement } from '../db/statement.ts';
import { Problem } from '../http/problem.ts';

/** How long a failure counts. */
const WINDOW_MINUTES = 15;

/** Failures of one account from one network, of one network whatever the account, and of one account from anywhere. */
const MAX_FAILURES = { pair: 5, network: 50, account: 50 };

/** Days for which somebody who signed in from a network is not locked out there by failures from other networks. */
const NETWORK_KEPT_DAYS = 90;

/** A time more than a moment in the future comes from a clock that was later set back. */
const isRecent = sql`at between now() - make_interval(mins => ${sql.lit(WINDOW_MINUTES)}) and now() + interval '1 minute'`;

const insertAttempt = statement(
  'insert attempt',
  (p: { id: string; account: Buffer; network: string }) => sql<{ id: string }>`
    insert into sign_in_attempts (id, account, network) values (${p.id}, ${p.account}, ${p.network}) returning id`,
);

/** Failures within the window, this attempt among them. */
const countFailures = reading(
  'count failures',
  (p: { account: Buffer; network: string }) => sql<{
    pair: number;
    by_network: number;
    by_account: number;
    is_own_network: boolean;
  }>`
    select
      (select count(*)::int from (select from sign_in_attempts where account = ${p.account} and network = ${p.network} and not succeeded and ${isRecent} limit 1000) f) as pair,
      (select count(*)::int from (select from sign_in_attempts where network = ${p.network} and not succeeded and ${isRecent} limit 1000) f) as by_network,
      (select count(*)::int from (select from sign_in_attempts where account = ${p.account} and not succeeded and ${isRecent} limit 1000) f) as by_account,
      exists (select from sign_in_attempts where account = ${p.account} and network = ${p.network} and succeeded) as is_own_network`,
);

/** A success also forgives the failures before it, of the same account from the same network. */
const markSuccess = statement(
  'mark success',
  (p: { id: string; account: Buffer; network: string }) => sql<{ id: string }>`
    with forgiven as (
      delete from sign_in_attempts where account = ${p.account} and network = ${p.network} and not succeeded and id <> ${p.id})
    update sign_in_attempts set succeeded = true where id = ${p.id} returning id`,
);

const forgetAttempt = statement(
  'forget attempt',
  (p: { id: string }) => sql<{ id: string }>`delete from sign_in_attempts where id = ${p.id} returning id`,
);

/** Attempts that no longer count. */
export const deleteOldAttempts = statement(
  'delete old attempts',
  (p: { batch: number }) => sql<{ id: string }>`
    delete from sign_in_attempts
    where id in (
      select id from sign_in_attempts
      where at < now() - make_interval(days => case when succeeded then ${sql.lit(NETWORK_KEPT_DAYS)} else 1 end)
      limit ${p.batch})
    returning id`,
);

/**
 * Counts an attempt before it is made, so that concurrent attempts are counted, too. One that is refused does not count.
 * @param attempt.account the address that was typed, or a text that cannot be an address
 * @returns a function that makes the attempt; an attempt that throws, because it could not be judged, does not count
 * @throws {Problem} rate_limited; after a sign-in from this network, failures from other networks do not count
 */
export async function countAttempt(
  db: Queryable,
  { account, network }: { account: string; network: string },
): Promise<(isRight: () => Promise<boolean>) => Promise<boolean>> {
  const attempt = { id: newId(), account: hash('sha256', account, 'buffer'), network };
  await db.row(insertAttempt, attempt);
  const failures = (await db.row(countFailures, attempt))!;
  const isTooMany =
    failures.pair > MAX_FAILURES.pair ||
    failures.by_network > MAX_FAILURES.network ||
    (failures.by_account > MAX_FAILURES.account && !failures.is_own_network);
  if (isTooMany) {
    await db.row(forgetAttempt, attempt);
    throw new Problem(
      'rate_limited',
      `Too many attempts to sign in; try again in ${WINDOW_MINUTES} minutes`,
      {
        headers: { 'retry-after': String(WINDOW_MINUTES * 60) },
      },
    );
  }
  return async (isRight) => {
    const succeeds = await isRight().catch(async (error: unknown) => {
      await db.row(forgetAttempt, attempt);
      throw error;
    });
    if (succeeds) await db.row(markSuccess, attempt);
    return succeeds;
  };
}
