import { createReadStream, createWriteStream } from 'node:fs';
import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { from as copyFrom } from 'pg-copy-streams';
import { connectionSettings, Session } from '../src/db/session.ts';
import { readBulkFile } from '../src/register/mirror/import/bulk-file.ts';
import { importRegister } from '../src/register/mirror/import/import.ts';
import { copyRows, copyText, MARGIN } from '../src/register/mirror/import/load.ts';
import { checkLosses } from '../src/register/mirror/import/losses.ts';
import { fileSource } from '../src/register/mirror/import/source.ts';
import { swap } from '../src/register/mirror/import/swap.ts';
import { buildIndexes, createTable } from '../src/register/mirror/import/table.ts';
import { COLUMNS } from '../src/register/mirror/units.ts';
import { openDatabase } from './database.ts';
import { writeRegisterFile } from './register-file.ts';
import { runImport, type ImportRun } from './register-import-run.ts';
import { middle, timeLookUps } from './register-look-ups.ts';
import { timeSearches } from './register-searches.ts';

/** Targets for the mirror of the register. */
const TARGETS = { whole: 8, peakRss: 300e6, lookUp: 1, slower: 1.25, search: 20 };

const { values: options } = parseArgs({
  options: {
    units: { type: 'string', default: '1200000' },
    rounds: { type: 'string', default: '3' },
    file: { type: 'string' },
    postgres: { type: 'string' },
  },
});
const never = new AbortController().signal;
const faults: string[] = [];

const folder = await mkdtemp(join(tmpdir(), 'kundebok-register-'));
// PostgreSQL may run as another user, and reads the rows itself.
await chmod(folder, 0o755);
const database = await openDatabase(options.postgres, { large: 1, small: 1, offers: 1 });
const client = new Session({ ...connectionSettings(database.url), statement_timeout: 0, query_timeout: 0 });
try {
  await client.connect();
  const file = options.file ?? (await generate());
  const rows = await writeRows(file);
  await compareWithCopy(file, rows);
  await compareLookUps();
  await reportSearches();
} finally {
  await client.end();
  await database.remove();
  await rm(folder, { recursive: true });
}
for (const fault of faults) console.error(`MISSED: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;

async function generate(): Promise<string> {
  console.error(`Generating a register of ${options.units} units`);
  const path = join(folder, 'units.json.gz');
  await writeRegisterFile(path, { units: Number(options.units) });
  return path;
}

/** The same rows as the import makes of the file, for PostgreSQL's own COPY. */
async function writeRows(file: string): Promise<string> {
  const path = join(folder, 'rows.txt');
  async function* texts() {
    const date = await asOf(file);
    for await (const readings of readBulkFile(createReadStream(file))) {
      yield copyText(
        readings.flatMap((reading) => (reading.outcome === 'found' ? [reading.unit] : [])),
        date,
      );
    }
  }
  await pipeline(texts(), createWriteStream(path, { mode: 0o644 }));
  return path;
}

/** The date that an import gives its rows. With a later one, the next import would copy them all into its table. */
async function asOf(file: string): Promise<Temporal.Instant> {
  return (await stat(file)).mtime.toTemporalInstant().subtract(MARGIN);
}

/** Rounds of: COPY into a table with its key alone, COPY into one without, our load, the whole import. */
async function compareWithCopy(file: string, rows: string): Promise<void> {
  const times: { own: number; bare: number; load: number; run: ImportRun }[] = [];
  for (let round = 0; round < Number(options.rounds); round++) {
    const own = await timeCopy(rows, ', primary key (orgnr)');
    const run = await runImport(database.url, file);
    const load = await timeLoad(rows, await asOf(file));
    const bare = await timeCopy(rows, '');
    times.push({ own, bare, load, run });
    console.error(
      `COPY ${own.toFixed(2)} s, without a key ${bare.toFixed(2)} s; load ${load.toFixed(2)} s, import ${run.seconds.toFixed(2)} s`,
    );
  }
  const load = middle(times.map((time) => time.load / time.own));
  const whole = middle(times.map((time) => time.run.seconds / time.own));
  const loadBare = middle(times.map((time) => time.load / time.bare));
  const wholeBare = middle(times.map((time) => time.run.seconds / time.bare));
  const peakRss = Math.max(...times.map(({ run }) => run.peakRss));
  const { units } = times[0]!.run;
  console.log(
    [
      `| import of ${units} units | measured | target |`,
      '| --- | --- | --- |',
      `| load, index and swap against PostgreSQL's own COPY into a table with the key of register_units | ${load.toFixed(2)} × | |`,
      `| file to service against the same | ${whole.toFixed(2)} × | ${TARGETS.whole} × |`,
      `| both against COPY into a table without a key | ${loadBare.toFixed(2)} ×, ${wholeBare.toFixed(2)} × | |`,
      `| most memory held | ${(peakRss / 1e6).toFixed(0)} MB | ${TARGETS.peakRss / 1e6} MB |`,
      `| processor time of the import | ${middle(times.map(({ run }) => run.cpu)).toFixed(1)} s | |`,
    ].join('\n'),
  );
  if (whole > TARGETS.whole) faults.push(`the import takes ${whole.toFixed(2)} × COPY`);
  if (peakRss > TARGETS.peakRss) faults.push(`the import holds ${(peakRss / 1e6).toFixed(0)} MB`);
}

/** Seconds that COPY takes from a file that the server reads itself, or gets over the connection where it may not. */
async function timeCopy(rows: string, key: '' | ', primary key (orgnr)'): Promise<number> {
  await client.query(`create table own_copy (like register_units${key})`);
  // Only a role with pg_checkpoint may do this. Without a checkpoint, more of the copy's time is writing.
  await client.query('checkpoint').catch(() => undefined);
  const start = performance.now();
  const copy = `copy own_copy (${COLUMNS.join(', ')}) from`;
  try {
    await client.query(`${copy} '${rows}'`);
  } catch {
    await pipeline(createReadStream(rows), client.query(copyFrom(`${copy} stdin`)));
  }
  const seconds = (performance.now() - start) / 1_000;
  await client.query('drop table own_copy');
  return seconds;
}

/** Seconds of an import whose file was read and parsed before. */
async function timeLoad(rows: string, date: Temporal.Instant): Promise<number> {
  const start = performance.now();
  await client.query('begin');
  await createTable(client);
  await copyRows(client, createReadStream(rows, { highWaterMark: 256 * 1024 }), never);
  await buildIndexes(client, Number.MAX_SAFE_INTEGER);
  await checkLosses(client, ['unit'], false);
  const tally = { loaded: 1, unreadable: 0, why: undefined, asOf: { unit: date } };
  await swap(client, tally, { patienceMs: 60_000, signal: never });
  await client.query('commit');
  return (performance.now() - start) / 1_000;
}

/** Look-ups in the mirror as it is now, and in one of a thousand units beside it. */
async function compareLookUps(): Promise<void> {
  await client.query('create schema thousand');
  for (const table of [
    'register_units',
    'register_mirror',
    'register_feeds',
    'register_removed',
    'register_invalidations',
    'register_set_aside',
  ]) {
    await client.query(`create table thousand.${table} (like public.${table} including all)`);
  }
  const file = join(folder, 'thousand.json.gz');
  await writeRegisterFile(file, { units: 1_000 });
  const small = new URL(database.url);
  small.searchParams.set('options', '-c search_path=thousand');
  await importRegister({ databaseUrl: small.href, sources: [fileSource(file)] });

  const [thousand, million] = (await timeLookUps(small.href, database.url)) as [LookUpPair, LookUpPair];
  const inDatabase = million.inDatabase / thousand.inDatabase;
  const roundTrip = million.roundTrip / thousand.roundTrip;
  console.log(
    [
      '',
      '| look-up | in PostgreSQL | round trip |',
      '| --- | --- | --- |',
      `| among a thousand | ${thousand.inDatabase.toFixed(3)} ms | ${thousand.roundTrip.toFixed(3)} ms |`,
      `| among all | ${million.inDatabase.toFixed(3)} ms | ${million.roundTrip.toFixed(3)} ms |`,
      `| ratio | ${inDatabase.toFixed(2)} × | ${roundTrip.toFixed(2)} × |`,
    ].join('\n'),
  );
  if (million.inDatabase > TARGETS.lookUp) faults.push('a look-up takes more than a millisecond');
  if (roundTrip > TARGETS.slower) faults.push(`a look-up among all takes ${roundTrip.toFixed(2)} × as long`);
}

/** The search for each start of two letters, in the mirror as it is now. */
async function reportSearches(): Promise<void> {
  const searches = await timeSearches(database.url);
  const [slowest] = searches as [(typeof searches)[number]];
  const median = middle(searches.map((search) => search.inDatabase));
  console.log(
    `\nOf ${searches.length} searches for two letters the middle one takes ${median.toFixed(2)} ms in PostgreSQL, the slowest ("${slowest.q}") ${slowest.inDatabase.toFixed(2)} ms`,
  );
  if (slowest.inDatabase > TARGETS.search) faults.push(`a search takes ${slowest.inDatabase.toFixed(1)} ms`);
}

type LookUpPair = Awaited<ReturnType<typeof timeLookUps>>[number];
