import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client.ts';
import { freshOrgnr, type Workspace } from '../workspace.ts';
import { quantile, tally } from './outcome.ts';
import { countDescriptors, residentMb } from './service.ts';
import { openStage, type Stage } from './stage.ts';

/**
 * Puts a service of its own under a moderate mixed load for a long time, and prints how memory, open files, rows and
 * times develop. The exit code is 1 when something grows that must not, or an answer was unexpected.
 * npm run soak, SOAK_MINUTES=120
 */
const MINUTES = Number(process.env['SOAK_MINUTES'] ?? 120);
/** Requests a second of all clients together. */
const RATE = 40;
const CLIENTS = 8;
const SAMPLES = 60;
/** The share of the time in which the memory of a new process does not count yet. */
const WARM_UP = 1 / 4;
const STRETCHES = 5;

/** The most that each may be at the end. */
const BOUNDS = { 'memory MB/h': 1, 'descriptors/h': 1, 'p99 drift %': 10, 'other answers': 0 };
/** Slopes of a short soak are noise: below this many minutes they are shown and not judged. */
const JUDGED_FROM = 60;

type Sample = {
  minute: number;
  memoryMb: number;
  descriptors: number;
  connections: number;
  p50: number;
  p99: number;
};

type Step = (client: Client, rows: Rows) => Promise<{ status: number }>;

/** Reads and writes as integrations mix them; the first half reads. */
const STEPS: readonly Step[] = [
  (client) => client.get('/companies?limit=25'),
  (client, { orgnr }) => client.get(`/companies/${orgnr}`),
  (client, { contact }) => client.get(`/contacts/${contact}`),
  (client) => client.get('/tasks?completed=false&sort=due_date'),
  (client) => client.get('/companies?q=nord'),
  (client) => client.get('/changes?cursor=now'),
  (client, { orgnr }) => client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' }),
  (client) => client.post('/contacts', { id: randomUUID(), name: 'Kari Nordmann' }),
  (client) => client.post('/companies', { orgnr: freshOrgnr() }),
  (client, { task }) => client.patch(`/tasks/${task}`, { title: randomUUID() }),
  (client, { offer }) => client.patch(`/offers/${offer}`, { one_time_revenue: Date.now() % 100_000 }),
  (client) => client.post('/contacts', { nome: 'x' }),
];

process.on('SIGINT', () => process.exit(130));
process.on('SIGTERM', () => process.exit(143));

await using stage = await openStage();
const service = await stage.service({ LOG_LEVEL: 'info' }, 'ignore');
const workspace = await stage.workspace(service);
const answers: { status: number; milliseconds: number }[] = [];
const statuses: number[] = [];
const samples: Sample[] = [];
const over = new AbortController();
const began = performance.now();
const clients = Array.from({ length: CLIENTS }, async (_, client) => work(client));
for (let sample = 1; sample <= SAMPLES; sample++) {
  await sleep(began + (sample / SAMPLES) * MINUTES * 60_000 - performance.now());
  samples.push(await takeSample());
  console.table(samples.slice(-1));
}
over.abort();
await Promise.all(clients);
console.table(samples);
console.table(await countRows(stage));
judge();

async function takeSample(): Promise<Sample> {
  const recent = answers.splice(0);
  statuses.push(...recent.map(({ status }) => status));
  const times = recent.map(({ milliseconds }) => milliseconds);
  const [{ n }] = await stage.query(
    "select count(*)::int as n from pg_stat_activity where application_name = 'kundebok'",
  );
  return {
    minute: rounded((performance.now() - began) / 60_000),
    memoryMb: rounded(residentMb(service.pid)),
    descriptors: countDescriptors(service.pid),
    connections: n,
    p50: rounded(quantile(times, 0.5)),
    p99: rounded(quantile(times, 0.99)),
  };
}

/** Each client works on rows of its own and makes new ones now and then, as integrations come and go. */
async function work(number: number): Promise<void> {
  const pause = (1_000 * CLIENTS) / RATE;
  let rows: Rows | undefined;
  for (let step = number; !over.signal.aborted; step++) {
    const due = performance.now() + pause;
    rows = step % 200 === number ? undefined : rows;
    rows ??= await makeRows(workspace);
    const start = performance.now();
    const { status } = await STEPS[step % STEPS.length]!(workspace.client, rows);
    answers.push({ status, milliseconds: performance.now() - start });
    await sleep(Math.max(0, due - performance.now()));
  }
}

type Rows = { orgnr: string; company: string; contact: string; task: string; offer: string };

async function makeRows({ company, contact, task, offer }: Workspace): Promise<Rows> {
  const { orgnr, id } = await company();
  const [made, planned] = [await contact(), await task()];
  return {
    orgnr,
    company: id,
    contact: made.id,
    task: planned.id,
    offer: (await offer({ company_id: id })).id,
  };
}

async function countRows({ query }: Stage): Promise<object[]> {
  const tables = [
    'companies',
    'contacts',
    'tasks',
    'offers',
    'timeline_entries',
    'changes',
    'remembered_answers',
  ];
  return query(
    tables
      .map((table) => `select '${table}' as table, count(*)::int as rows from ${table}`)
      .join(' union all '),
  );
}

function judge(): void {
  const warm = samples.slice(Math.floor(SAMPLES * WARM_UP));
  const hours = warm.map(({ minute }) => minute / 60);
  const half = Math.floor(warm.length / 2);
  const descriptors = warm.map((sample) => sample.descriptors);
  const measured = {
    'memory MB/h': slopeOfLeast(warm),
    'descriptors/h': slopeOf(hours, descriptors),
    'p99 drift %': (medianOf(warm.slice(half)) / medianOf(warm.slice(0, half)) - 1) * 100,
    'other answers': statuses.filter((status) => ![200, 201, 400].includes(status)).length,
  };
  console.table(measured);
  process.stdout.write(`${statuses.length} answers: ${tally(statuses)}\n`);
  const isLong = MINUTES >= JUDGED_FROM;
  const broken = Object.entries(BOUNDS).filter(
    ([name, most]) => (isLong || name === 'other answers') && measured[name as keyof typeof measured] > most,
  );
  for (const [name, most] of broken) process.stdout.write(`BROKEN ${name}: more than ${most}\n`);
  if (broken.length > 0 || !service.isRunning()) process.exitCode = 1;
}

/** Garbage lets memory rise and fall by dozens of megabytes: only the lowest value of each stretch counts. */
function slopeOfLeast(samples: readonly Sample[]): number {
  const length = Math.max(1, Math.floor(samples.length / STRETCHES));
  const starts = Array.from({ length: STRETCHES }, (_, stretch) => stretch * length);
  const least = starts.map((start) =>
    samples
      .slice(start, start + length)
      .reduce((one, other) => (other.memoryMb < one.memoryMb ? other : one)),
  );
  const hours = least.map(({ minute }) => minute / 60);
  return slopeOf(
    hours,
    least.map(({ memoryMb }) => memoryMb),
  );
}

/** The slope by least squares. */
function slopeOf(xs: readonly number[], ys: readonly number[]): number {
  const [x, y] = [meanOf(xs), meanOf(ys)];
  const over = xs.reduce((sum, each, index) => sum + (each - x) * (ys[index]! - y), 0);
  return over / xs.reduce((sum, each) => sum + (each - x) ** 2, 0);
}

function meanOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function medianOf(samples: readonly Sample[]): number {
  const times = samples.map(({ p99 }) => p99);
  return quantile(times, 0.5);
}

function rounded(value: number): number {
  return Math.round(value * 10) / 10;
}
