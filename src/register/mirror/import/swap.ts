import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { isLocked } from '../../../db/unavailable.ts';
import { KINDS } from '../../register.ts';
import { KIND, UPSERT } from '../units.ts';
import { kindsOf, type ImportTally } from './load.ts';
import { ImportRefused } from './source.ts';
import { NEXT, replaceTable } from './table.ts';

/** How long an attempt waits for the lock that stops look-ups, and the pause after it. */
const READ_LOCK_TIMEOUT = '100ms';
const PAUSE_MS = 500;

/**
 * How long an attempt waits for the lock that stops writers until the commit. It is longer than the second after which
 * PostgreSQL cancels an autovacuum that is in the way.
 */
const WRITE_LOCK_TIMEOUT = '2s';

/**
 * Replaces the table in service, and keeps what has changed in it meanwhile. An attempt gives up when it does not get
 * the locks soon, so that readers never queue behind it for long.
 * @throws {ImportRefused} when the table was locked for all of `patienceMs`
 */
export async function swap(
  client: Client,
  tally: ImportTally,
  options: { patienceMs: number; signal: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + options.patienceMs;
  // Most rows are copied before anything is locked.
  await copyRemaining(client, tally);
  await client.query(`analyze ${NEXT}`);
  for (;;) {
    await client.query('savepoint swap');
    try {
      await swapLocked(client, tally);
      return;
    } catch (cause) {
      if (!isLocked(cause)) throw cause;
      await client.query('rollback to savepoint swap');
      if (performance.now() > deadline) {
        throw new ImportRefused(
          'Something else (a backup, perhaps) has locked the table register_units for minutes: import again when it has finished',
          { cause },
        );
      }
      await pause(PAUSE_MS * (0.5 + Math.random()), undefined, { signal: options.signal });
    }
  }
}

async function swapLocked(client: Client, tally: ImportTally): Promise<void> {
  await client.query(`set local lock_timeout = '${WRITE_LOCK_TIMEOUT}'`);
  await client.query('lock table register_units in exclusive mode');
  await deleteOutdated(client, tally);
  await copyRemaining(client, tally);
  await deleteRemoved(client);
  await recordImport(client, tally);
  await client.query(`set local lock_timeout = '${READ_LOCK_TIMEOUT}'`);
  await client.query('lock table register_units in access exclusive mode');
  await replaceTable(client);
}

/**
 * Copies what the files cannot have: rows that are newer, dissolved units, and every row of a kind that no file holds.
 */
async function copyRemaining(client: Client, tally: ImportTally): Promise<void> {
  for (const kind of KINDS) {
    const asOf = tally.asOf[kind]?.toString() ?? '-infinity';
    await client.query(
      `insert into ${NEXT} select former.* from (
         select * from register_units where ${KIND} = $1 and (as_of > $2 or deleted_on is not null)
       ) former left join ${NEXT} next using (orgnr)
       where next.orgnr is null or (former.as_of > $2 and former.as_of > next.as_of)
       ${UPSERT}`,
      [kind, asOf],
    );
  }
}

/** Of a kind that no file holds, deletes the copied rows that have changed or gone since. */
async function deleteOutdated(client: Client, tally: ImportTally): Promise<void> {
  for (const kind of KINDS.filter((kind) => !tally.asOf[kind])) {
    await client.query(
      `delete from ${NEXT} next where ${KIND} = $1 and not exists (
         select from register_units former
         where former.orgnr = next.orgnr and row(former.*) is not distinct from row(next.*))`,
      [kind],
    );
  }
}

/**
 * Whatever its date, a file brings back no unit that was removed on legal grounds: a file's date may be the day on
 * which it was copied. A unit that the register has again is known from the feed or a look-up.
 */
async function deleteRemoved(client: Client): Promise<void> {
  await client.query(
    `delete from ${NEXT} next using register_removed removed
     where removed.orgnr = next.orgnr and not exists (
       select from register_units former
       where former.orgnr = removed.orgnr and former.as_of > removed.removed_at)`,
  );
}

/**
 * The feeds of the kinds in the files are read again, by date: from before the files, or from where they had been read
 * to if that is earlier. This works also where the ids of a feed have started over.
 */
async function recordImport(client: Client, tally: ImportTally): Promise<void> {
  const [oldest] = Object.values(tally.asOf).toSorted((one, other) => Temporal.Instant.compare(one, other));
  // The feeds come first, because they may need the former mirror's current_at, which the second statement replaces.
  for (const kind of KINDS) {
    const asOf = tally.asOf[kind];
    await client.query(
      `insert into register_feeds as feed (kind, since) values ($1, $2)
       on conflict (kind) do update set
         since = least(excluded.since, case
           when feed.last_at is not null then feed.last_at
           when feed.last_id is null then feed.since
           -- An earlier release kept no dates of entries.
           else (select greatest(feed.since, current_at - interval '1 day') from register_mirror)
         end),
         last_id = null,
         last_at = null,
         stated = '{}'
       where $3`,
      [kind, (asOf ?? oldest!).toString(), asOf !== undefined],
    );
  }
  await client.query(
    `insert into register_mirror (imported_at, current_at) values (now(), $1)
     on conflict (singleton) do update set
       imported_at = excluded.imported_at,
       companies_refreshed = false,
       synced_at = null,
       last_error = null,
       last_error_at = null,
       -- A mirror is as current as the older of its kinds.
       current_at = case when $2 then excluded.current_at
         else least(excluded.current_at, register_mirror.current_at) end`,
    [oldest!.toString(), kindsOf(tally).length === KINDS.length],
  );
}
