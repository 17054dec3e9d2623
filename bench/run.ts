import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { CASES, type CaseName } from './cases.ts';
import { openDatabase, type BenchDatabase } from './database.ts';
import { measure, startLoad, type Plan } from './measure.ts';
import { startSide, type Side } from './processes.ts';
import { casesTable, targetsOf, type CaseResult } from './report.ts';
import { compareSizes, timeToReady } from './scale.ts';

const FLOOR_PORT = 3_900;
const SERVICE_PORT = 3_901;
const KUNDEBOK = fileURLToPath(new URL('../bin/kundebok', import.meta.url));

const { values: options } = parseArgs({
  options: {
    companies: { type: 'string', default: '' },
    rounds: { type: 'string', default: '3' },
    restarts: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1.2' },
    connections: { type: 'string', default: '32' },
    rate: { type: 'string', default: '0' },
    only: { type: 'string', default: '' },
    postgres: { type: 'string' },
    scale: { type: 'boolean', default: false },
    profile: { type: 'string' },
  },
});
const plan: Plan = {
  rounds: Number(options.rounds),
  seconds: Number(options.seconds),
  connections: Number(options.connections),
  rate: Number(options.rate),
};
const cases = CASES.filter((name) => name.includes(options.only));
const large = Number(options.companies || (options.scale ? 1_000_000 : 100_000));

say(`Filling PostgreSQL: 50 workspaces, the largest with ${large} companies and contacts`);
const database = await openDatabase(options.postgres, { large, small: 300, offers: 10_000 });
const load = startLoad();
let running: Side[] = [];
try {
  const faults = options.scale ? await scale() : await compare();
  for (const fault of faults) say(`MISSED: ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await load.stop();
  await stopAll();
  await database.remove();
}

/** Measures several processes one after the other: those of the same code differ by up to a fifth while they live. */
async function compare(): Promise<string[]> {
  const results: CaseResult[] = cases.map((name) => ({ name, rounds: [[], []] }));
  const memory = { floor: 0, service: 0 };
  for (let start = 1; start <= Number(options.restarts); start++) {
    say(`Processes ${start} of ${options.restarts}`);
    const service = await startService(database);
    running.push(service);
    const floor = await startFloor(database);
    running.push(floor);
    for (const { name, rounds } of results) await compareCase(name, rounds, floor, service);
    memory.floor = Math.max(memory.floor, (await floor.usage()).rss);
    memory.service = Math.max(memory.service, (await service.usage()).rss);
    await stopAll();
  }
  console.log(casesTable(results, memory));
  return targetsOf(results, memory);
}

async function compareCase(
  name: CaseName,
  rounds: CaseResult['rounds'],
  floor: Side,
  service: Side,
): Promise<void> {
  say(`${name} …`);
  if (options.profile !== undefined) await profile(service, name, options.profile);
  const workspace = database.large;
  const subjects = [
    { side: floor, workspace },
    { side: service, workspace },
  ] as const;
  const measured = await measure(load, name, subjects, plan, () => database.used());
  for (const side of [0, 1] as const) rounds[side].push(...measured[side]);
}

async function scale(): Promise<string[]> {
  const service = await startService(database);
  running.push(service);
  const faults = await compareSizes(load, service, database, plan);
  await stopAll();
  return [...faults, ...(await timeToReady(database, KUNDEBOK, SERVICE_PORT))];
}

async function stopAll(): Promise<void> {
  const sides = running;
  running = [];
  for (const side of sides) await side.stop();
}

/** Takes a profile of a case before its rounds: taking one costs time that must not be measured. */
async function profile(service: Side, kase: CaseName, folder: string): Promise<void> {
  const order = { ...plan, rate: 0, origin: service.origin, kase, workspace: database.large };
  await load.drive({ ...order, seconds: 2 });
  await service.startProfile();
  const outcome = await load.drive({ ...order, seconds: 5 });
  await service.saveProfile(`${folder}/${kase.replaceAll(/\W+/g, '-')}.cpuprofile`);
  say(`  profile of ${outcome.answered} requests${JSON.stringify(outcome.failures)}`);
}

function startFloor({ url }: BenchDatabase): Promise<Side> {
  return startSide({
    name: 'floor',
    command: process.execPath,
    arguments: [fileURLToPath(new URL('floor.ts', import.meta.url))],
    environment: { DATABASE_URL: url },
    port: FLOOR_PORT,
    ready: '/healthz',
  });
}

function startService({ url }: BenchDatabase): Promise<Side> {
  return startSide({
    name: 'service',
    command: KUNDEBOK,
    arguments: ['serve'],
    // Every request is counted and none denied.
    environment: { DATABASE_URL: url, RATE_LIMIT: '999999999/1' },
    port: SERVICE_PORT,
    ready: '/readyz',
  });
}

function say(line: string): void {
  console.error(line);
}
