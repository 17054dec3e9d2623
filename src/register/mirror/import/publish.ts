import { setTimeout as pause } from 'node:timers/promises';
import { DatabaseError, type Client } from 'pg';
import { kindsOf, type ImportTally } from './load.ts';
import { NEXT, replaceTable } from './next-table.ts';
import { KINDS } from '../../register.ts';
import { COLUMNS } from '../store.ts';
import { ImportRefused } from './refused.ts';

/** The lists are made the night before; what the feed told in that time is read again. Milliseconds. */
const FEED_MARGIN = 24 * 60 * 60 * 1_000;

/** How long a look-up may be made to wait by one attempt to swap, and the pause in milliseconds after it. */
const LOCK_TIMEOUT = '100ms';
const PAUSE = 500;

/** How long those who write may be: past the second after which PostgreSQL calls its own vacuum off. */
const WRITE_LOCK_TIMEOUT = '2s';

const LOCK_NOT_AVAILABLE = '55P03';
const DEADLOCK = '40P01';

const UPDATED = COLUMNS.slice(1);
const UPSERT = `on conflict (orgnr) do update set (${UPDATED.join(', ')}) = (${UPDATED.map((column) => `excluded.${column}`).join(', ')})`;

/**
 * Puts the new table in the place of the one in service, with what was told meanwhile. Look-ups go on: they wait
 * for at most {@link LOCK_TIMEOUT} at a time, and the swap steps back when it cannot have the table that soon.
 * @param patienceMs how long to try; milliseconds
 * @throws {ImportRefused} when something held on to the table for all that time
 */
export async function swap(
  client: Client,
  tally: ImportTally,
  options: { patienceMs: number; signal: AbortSignal },
): Promise<void> {
  const deadline = performance.now() + options.patienceMs;
  // The bulk of it before anything is locked; what remains for later is what comes in between.
  await copyNewerRows(client, tally);
  for (;;) {
    await client.query('savepoint swap');
    try {
      await replaceLocked(client, tally);
      return;
    } catch (cause) {
      if (!isBusy(cause)) throw cause;
      await client.query('rollback to savepoint swap');
      if (performance.now() > deadline) {
        throw new ImportRefused(
          'Something else has held the table register_units for minutes (a backup, perhaps): import again when it is done',
          { cause },
        );
      }
      await pause(PAUSE * (0.5 + Math.random()), undefined, { signal: options.signal });
    }
  }
}

async function replaceLocked(client: Client, tally: ImportTally): Promise<void> {
  // Nobody writes from here on; everybody reads until the names change.
  await client.query(`set local lock_timeout = '${WRITE_LOCK_TIMEOUT}'`);
  await client.query('lock table register_units in exclusive mode');
  await copyNewerRows(client, tally);
  await matchOtherKind(client, tally);
  await client.query(
    `delete from ${NEXT} next using register_removed gone where gone.orgnr = next.orgnr and gone.removed_at >= next.as_of`,
  );
  await recordMirror(client, tally);
  await client.query(`set local lock_timeout = '${LOCK_TIMEOUT}'`);
  await client.query('lock table register_units in access exclusive mode');
  await replaceTable(client);
}

/** What the service has learnt that the files cannot know: later answers, and units it has dissolved. */
async function copyNewerRows(client: Client, tally: ImportTally): Promise<void> {
  for (const kind of kindsOf(tally)) {
    await client.query(
      `insert into ${NEXT} select former.* from (
         select * from register_units where is_branch = $1 and (as_of > $2 or deleted_on is not null)
       ) former left join ${NEXT} next using (orgnr)
       where next.orgnr is null or (former.as_of > $2 and former.as_of > next.as_of)
       ${UPSERT}`,
      [kind === 'branch', tally.asOf[kind]],
    );
  }
}

/** The kind that the files do not hold was brought over a while ago: made exactly what it is now. */
async function matchOtherKind(client: Client, tally: ImportTally): Promise<void> {
  const kinds = kindsOf(tally);
  if (kinds.length === KINDS.length) return;
  await client.query(
    `delete from ${NEXT} next where is_branch <> $1
     and not exists (select from register_units former where former.orgnr = next.orgnr)`,
    [kinds[0] === 'branch'],
  );
  await client.query(
    `insert into ${NEXT} select former.* from register_units former left join ${NEXT} next using (orgnr)
     where former.is_branch <> $1 and row(next.*) is distinct from row(former.*)
     ${UPSERT} where ${NEXT}.is_branch <> $1 or excluded.as_of > ${NEXT}.as_of`,
    [kinds[0] === 'branch'],
  );
}

/**
 * The feeds of the kinds that were replaced are read again from before the files, or from where they had got to if
 * that is earlier, by date: also where the feed has started over. The other goes on where it is.
 */
async function recordMirror(client: Client, tally: ImportTally): Promise<void> {
  const oldest = new Date(Math.min(...Object.values(tally.asOf).map(Number)));
  await client.query(
    `insert into register_mirror (imported_at, current_at) values (now(), $1)
     on conflict (singleton) do update set
       imported_at = excluded.imported_at,
       companies_refreshed = false,
       last_error = null,
       last_error_at = null,
       -- A mirror is as current as the older of its kinds.
       current_at = case when $2 then excluded.current_at
         else least(excluded.current_at, register_mirror.current_at) end`,
    [oldest, kindsOf(tally).length === KINDS.length],
  );
  for (const kind of KINDS) {
    const asOf = tally.asOf[kind];
    await client.query(
      `insert into register_feeds as feed (kind, since) values ($1, $2)
       on conflict (kind) do update set
         since = least(excluded.since, feed.last_at, case when feed.last_at is null then feed.since end),
         last_id = null,
         last_at = null,
         stated = '{}'
       where $3`,
      [kind, new Date((asOf ?? oldest).getTime() - FEED_MARGIN), asOf !== undefined],
    );
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof DatabaseError && (error.code === LOCK_NOT_AVAILABLE || error.code === DEADLOCK);
}
