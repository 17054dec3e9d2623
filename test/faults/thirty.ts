import { tryCases } from './cases.ts';
import { stepClock } from './clock.ts';
import { crowdDatabase, endSessions, killDatabase } from './database.ts';
import { fillDisk } from './disk.ts';
import { revokeKeys, searchSecrets, spendLimit } from './keys.ts';
import { troubleDatabase } from './link.ts';
import { takeNotes, type Outcome } from './outcome.ts';
import { endService, exhaustDescriptors, killService, loseLog } from './processes.ts';
import { changeTogether, cutAnswers, raceForCompany, raceForId } from './races.ts';
import { checkOrder } from './registers.ts';
import { openStage, type Stage } from './stage.ts';
import { holdSockets, sendTooMuch } from './sockets.ts';

/** The lanes run side by side, so that tests that mostly wait do not delay those that mostly work. */
export const LANES = ['work', 'kills', 'waits'] as const;

export type Fault = {
  number: number;
  title: string;
  /** Files of the test suite that test the fault, or part of it. */
  files: readonly string[];
  /** A test that takes longer than the test suite may; `scaled` multiplies a count by FAULTS_SCALE, to one at least. */
  run?: { lane: (typeof LANES)[number]; measure: (scaled: (count: number) => number) => Promise<Outcome> };
};

/** The service is held to these. `docs/faults.md` has the same table. */
export const THIRTY: readonly Fault[] = [
  {
    number: 1,
    title: 'keys that are missing, malformed, unknown or revoked, even while in use',
    files: ['test/contract-keys.test.ts', 'test/revoked-keys.test.ts', 'src/keys/directory.test.ts'],
    run: { lane: 'work', measure: (scaled) => revokeKeys({ revocations: scaled(10) }) },
  },
  {
    number: 2,
    title: 'all operations with all permission masks',
    files: ['test/contract-keys.test.ts'],
  },
  {
    number: 3,
    title: "another workspace's ids, in paths and bodies",
    files: ['test/contract-workspaces.test.ts', 'test/application.test.ts'],
  },
  {
    number: 4,
    title: 'fields that a caller may not set',
    files: ['test/contract-bodies.test.ts', 'src/offers/offers.test.ts'],
  },
  {
    number: 5,
    title: 'secrets in database, log, answers and memory',
    files: ['src/keys/keys.test.ts', 'test/http-logs.test.ts', 'test/security.test.ts'],
    run: { lane: 'waits', measure: (scaled) => searchSecrets({ requests: scaled(10_000) }) },
  },
  {
    number: 6,
    title: 'the rate limit, on two processes, and another key meanwhile',
    files: ['test/rate-limit.test.ts'],
    run: { lane: 'waits', measure: (scaled) => spendLimit({ bursts: scaled(3) }) },
  },
  {
    number: 7,
    title: 'random requests for every operation',
    files: ['test/openapi.test.ts'],
    run: { lane: 'work', measure: (scaled) => tryCases({ cases: scaled(10_000) }) },
  },
  {
    number: 8,
    title: 'bodies that are not JSON objects, and content types',
    files: ['test/http-bodies.test.ts', 'test/http-body-limits.test.ts'],
  },
  {
    number: 9,
    title: 'text that PostgreSQL cannot hold, and text that must come back byte by byte',
    files: ['test/contract-bodies.test.ts'],
  },
  {
    number: 10,
    title: 'numbers out of range, rounded, or of another type',
    files: ['test/contract-bodies.test.ts', 'test/http-body-limits.test.ts', 'test/contract-routes.test.ts'],
  },
  {
    number: 11,
    title: 'bodies, headers and addresses that are too large',
    files: ['test/http-bodies.test.ts', 'test/http-body-limits.test.ts', 'test/http-wire.test.ts'],
    run: { lane: 'waits', measure: (scaled) => sendTooMuch({ rounds: scaled(40) }) },
  },
  {
    number: 12,
    title: 'ids of every wrong form',
    files: ['test/contract-routes.test.ts', 'test/contract-bodies.test.ts', 'test/http.test.ts'],
  },
  {
    number: 13,
    title: 'page sizes, and paging that shows every row once',
    files: ['test/contract-routes.test.ts', 'src/companies/companies.test.ts', 'test/lists.test.ts'],
  },
  {
    number: 14,
    title: 'dates without offset, out of the calendar, at its edges',
    files: ['test/contract-bodies.test.ts', 'test/list-parameters.test.ts'],
  },
  {
    number: 15,
    title: 'SQL, markup and forged log lines in every text',
    files: ['test/contract-bodies.test.ts', 'test/http-logs.test.ts'],
  },
  {
    number: 16,
    title: 'methods and method overrides, slashes, forwarded addresses',
    files: ['test/contract-routes.test.ts', 'test/http.test.ts', 'test/http-protocol.test.ts'],
  },
  {
    number: 17,
    title: 'smuggled, broken and pipelined requests on raw sockets',
    files: ['test/http-wire.test.ts', 'test/http-pipelining.test.ts'],
  },
  {
    number: 18,
    title: 'clients that send a byte a second, and clients that never read',
    files: ['test/http-wire.test.ts', 'test/load.test.ts'],
    run: { lane: 'waits', measure: (scaled) => holdSockets({ sockets: scaled(500) }) },
  },
  {
    number: 19,
    title: '200 requests at once create one company on two processes',
    files: ['test/concurrency.test.ts', 'src/companies/add.test.ts'],
    run: { lane: 'work', measure: (scaled) => raceForCompany({ rounds: scaled(100) }) },
  },
  {
    number: 20,
    title: '200 requests at once create a row with one id on two processes',
    files: ['test/concurrency.test.ts'],
    run: { lane: 'work', measure: (scaled) => raceForId({ rounds: scaled(10) }) },
  },
  {
    number: 21,
    title: 'the answer is lost after the commit, and the client repeats',
    files: ['src/http/idempotency-keys.test.ts', 'test/processes/shop-order.test.ts'],
    run: { lane: 'waits', measure: (scaled) => cutAnswers({ rounds: scaled(50) }) },
  },
  {
    number: 22,
    title: "many requests change an offer's status at once",
    files: ['test/concurrency.test.ts', 'src/offers/offers.test.ts'],
  },
  {
    number: 23,
    title: 'two requests change different fields of one row',
    files: ['test/concurrency.test.ts', 'test/contract-bodies.test.ts'],
    run: { lane: 'work', measure: (scaled) => changeTogether({ changes: scaled(10_000) }) },
  },
  {
    number: 24,
    title: 'sequences of requests against a model; concurrent reads and writes fit one order',
    files: ['test/model.test.ts'],
    run: { lane: 'work', measure: (scaled) => checkOrder({ operations: scaled(20_000) }) },
  },
  {
    number: 25,
    title: 'more writers than connections',
    files: ['test/database-faults.test.ts', 'test/load.test.ts', 'test/concurrency.test.ts'],
    run: { lane: 'waits', measure: (scaled) => crowdDatabase({ seconds: scaled(3) }) },
  },
  {
    number: 26,
    title: 'PostgreSQL is killed under writers and stays away for 5 s',
    files: ['src/db/embedded-crash.test.ts', 'test/processes/failover.test.ts'],
    run: { lane: 'kills', measure: (scaled) => killDatabase({ kills: scaled(50), awayMs: 5_000 }) },
  },
  {
    number: 27,
    title: 'sessions are ended within transactions; the answer to COMMIT is lost',
    files: ['test/database-faults.test.ts', 'src/http/idempotency-keys.test.ts'],
    run: { lane: 'waits', measure: (scaled) => endSessions({ rounds: scaled(100) }) },
  },
  {
    number: 28,
    title: 'a slow, broken or full connection to PostgreSQL, a frozen server, locks and a deadlock',
    files: [
      'test/database-faults.test.ts',
      'test/database-locks.test.ts',
      'test/processes/database-refusals.test.ts',
    ],
    run: {
      lane: 'waits',
      measure: (scaled) => onStage((stage) => troubleDatabase(stage, { seconds: scaled(12) })),
    },
  },
  {
    number: 29,
    title: 'a register that is slow, broken, gives wrong answers or redirects',
    files: [
      'src/register/national/trouble.test.ts',
      'src/register/national/client.test.ts',
      'src/register/national/call-policy.test.ts',
      'src/companies/add.test.ts',
    ],
  },
  {
    number: 30,
    title: 'the service is killed or ended under load; a full disk, no more open files, a step of the clock',
    files: [
      'test/processes/command-line-stop.test.ts',
      'src/changes/killed.test.ts',
      'src/backup/killed.test.ts',
    ],
    run: { lane: 'kills', measure: sufferMachine },
  },
];

async function sufferMachine(scaled: (count: number) => number): Promise<Outcome> {
  const notes = takeNotes();
  for (const part of [
    () => killService({ kills: scaled(10) }),
    () => endService({ rounds: scaled(10) }),
    () => fillDisk({ refusals: scaled(200) }),
    () => onStage((stage) => exhaustDescriptors(stage, { seconds: scaled(3) })),
    () => stepClock({ writes: scaled(100) }),
    () => onStage(loseLog),
  ]) {
    notes.add(await part());
  }
  return notes;
}

/** The database has few connections, so that a test can soon take them all. */
async function onStage(measure: (stage: Stage) => Promise<Outcome>): Promise<Outcome> {
  await using stage = await openStage({ settings: { max_connections: '30' } });
  return await measure(stage);
}
