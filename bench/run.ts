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
    rounds: { type: 'string', default: '9' },
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
const running: Side[] = [];
try {
  running.push(await startService(database));
  const faults = options.scale ? await scale() : await compare();
  for (const fault of faults) say(`MISSED: ${fault}`);
  process.exitCode = faults.length > 0 ? 1 : 0;
} finally {
  await load.stop();
  for (const side of running) await side.stop();
  await database.remove();
}

async function compare(): Promise<string[]> {
  const [service] = running as [Side];
  const floor = await startFloor(database);
  running.push(floor);
  const workspace = database.large;
  const results: CaseResult[] = [];
  for (const name of cases) {
    say(`${name} …`);
    if (options.profile !== undefined) await profile(service, name, options.profile);
    const rounds = await measure(
      load,
      name,
      [
        { side: floor, workspace },
        { side: service, workspace },
      ],
      plan,
      () => database.used(),
    );
    results.push({ name, rounds });
  }
  const memory = { floor: (await floor.usage()).rss, service: (await service.usage()).rss };
  console.log(casesTable(results, memory));
  return targetsOf(results, memory);
}

async function scale(): Promise<string[]> {
  const [service] = running as [Side];
  const faults = await compareSizes(load, service, database, plan);
  await service.stop();
  return [...faults, ...(await timeToReady(database, KUNDEBOK, SERVICE_PORT))];
}

/** A profile of its own before the rounds: taking one costs time that must not be measured. */
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
