import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readDocument, codesIn, tableUnder } from '../documents.ts';
import { childrenOf } from './children-of.ts';
import { endWithFile, ownDatabase, ROOT, startService } from '../service.ts';

endWithFile();

/** A gauge without a value has a TYPE line all the same. */
const namesIn = (metrics: string) => [...metrics.matchAll(/^# TYPE (\S+)/gm)].map(([, name]) => name!);

const METRIC = /\b(?:backup|database|http|kundebok|nodejs|process|register)_\w+/g;

const folder = await mkdtemp(join(tmpdir(), 'kundebok-metrics-'));
afterAll(() => rm(folder, { recursive: true }));

const service = await startService({
  DATABASE_URL: await ownDatabase(),
  WORKERS: '2',
  SLOW_REQUEST_MS: '1',
  BACKUP_FOLDER: folder,
});
const headers = {
  authorization: `Bearer ${service.key}`,
  'content-type': 'application/json',
  // With this key, the request is carried out in a transaction.
  'idempotency-key': 'one',
};
const body = '{"orgnr":"923609016"}';
await (await fetch(`${service.address}/companies`, { method: 'POST', headers, body })).json();
const readMetrics = async () => (await fetch(`${service.origin}/metrics`)).text();
let metrics = '';
beforeAll(async () => {
  // The metrics leave out a worker that is late. It may be the one that created the company.
  while (!metrics.includes('statement="insert company"')) metrics = await readMetrics();
});

test('the dashboard and the alerts name metrics that there are', async () => {
  const files = ['deploy/grafana-dashboard.json', 'deploy/alerts.yaml'];
  const known = new Set(namesIn(metrics));
  for (const file of files) {
    const text = await readFile(`${ROOT}${file}`, 'utf8');
    const expressions = [...text.matchAll(/"?expr"?: ["'](.*)["'],?$/gm)].map(
      ([, expression]) => expression!,
    );
    expect(expressions.length).toBeGreaterThan(5);
    const named = expressions.flatMap((expression) => expression.match(METRIC) ?? []);
    const families = named.map((name) => (known.has(name) ? name : name.replace(/_(bucket|sum|count)$/, '')));
    expect(families.filter((name) => !known.has(name))).toEqual([]);
  }
});

test('each counter whose increase an alert watches is there before it counts: a first value is no increase', async () => {
  const text = await readFile(`${ROOT}deploy/alerts.yaml`, 'utf8');
  const watched = [...text.matchAll(/\b(?:increase|rate)\((\w+)(?:\{(.*?)\})?\[/g)];
  expect(watched.length).toBeGreaterThan(3);
  const samples = (await readMetrics()).split('\n');
  const missing = watched.filter(
    ([, name, labels = '']) =>
      !samples.some((line) => /^\w+/.exec(line)?.[0] === name && line.includes(labels)),
  );
  expect(missing.map(([expression]) => expression)).toEqual([]);
});

test('the table of metrics has those of the service', async () => {
  const rows = tableUnder(await readDocument('docs/operating.md'), 'Metrics').flatMap(([names]) =>
    codesIn(names),
  );
  const told = (name: string) =>
    rows.some((row) => (row.endsWith('*') ? name.startsWith(row.slice(0, -1)) : row === name));
  expect(namesIn(metrics).filter((name) => !told(name))).toEqual([]);
});

test('statements are measured by title, and so are waits for a connection', () => {
  expect(metrics).toMatch(/^database_statement_duration_seconds_count\{statement="find live keys"\} [1-9]/m);
  expect(metrics).toMatch(/^database_connection_wait_seconds_count [1-9]/m);
  expect(metrics).toMatch(/^kundebok_changes_written_total [1-9]/m);
  expect(metrics).toMatch(/^kundebok_sessions 0$/m);
  expect(metrics).toMatch(/^kundebok_build_info\{version="[^"]+",node="v\d+[^"]+"\} 1$/m);
});

const slowLine = () =>
  service
    .logged()
    .split('\n')
    .find((text) => text.includes('"POST"') && text.includes('"request"'));

test('the log line of a slow request has its statements with their times', async () => {
  await expect.poll(slowLine).toBeDefined();
  const { statements, ms } = JSON.parse(slowLine()!);
  expect(statements.length).toBeGreaterThan(0);
  for (const entry of statements) {
    expect(entry).toEqual({ statement: expect.any(String), ms: expect.any(Number) });
  }
  const sum = statements.reduce((sum: number, entry: { ms: number }) => sum + entry.ms, 0);
  // The statements ran one after the other, and each time is rounded to a tenth.
  expect(sum).toBeLessThanOrEqual(ms + statements.length / 10);
  expect(statements.map(({ statement }: { statement: string }) => statement)).toEqual(
    expect.arrayContaining(['find live keys', 'begin', 'insert company', 'commit']),
  );
});

/** The workers that have answered GET /me, as far as the log says. */
function answerers(): Set<string> {
  const lines = service.logged().match(/"worker":\d+.*"route":"\/api\/v1\/me"/g) ?? [];
  return new Set(lines.map((line) => line.split(',')[0]!));
}

/** Asks on a connection of its own, which any worker that is not stopped may take. */
async function get(url: string): Promise<string> {
  const sent = request(url, { agent: false, headers }).end();
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  return text(answer);
}

test('metrics are those of all workers together, also of one that does not answer or has ended', async () => {
  let asked = 0;
  const ask = async () => {
    await get(`${service.address}/me`);
    asked++;
  };
  const metricsNow = () => get(`${service.origin}/metrics`);
  const count = () =>
    `http_request_duration_seconds_count{method="GET",route="/api/v1/me",status="200"} ${asked}\n`;
  while (answerers().size < 2) await ask();
  await expect.poll(metricsNow).toContain(count());
  expect(await metricsNow()).toContain('kundebok_workers 2\n');

  const [pid] = await childrenOf(service.pid);
  process.kill(pid!, 'SIGSTOP');
  await ask();
  await expect.poll(metricsNow).toContain(count());
  process.kill(pid!, 'SIGKILL');
  await ask();
  await expect.poll(metricsNow).toContain('kundebok_workers_replaced_total 1\n');
  await expect.poll(metricsNow).toContain(count());
});
