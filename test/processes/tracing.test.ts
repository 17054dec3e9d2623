import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { companiesFollow } from '../../src/companies/follow-register.ts';
import { connect } from '../../src/db/connect.ts';
import { mirroredRegister } from '../../src/register/mirror/look-up.ts';
import { nationalRegister } from '../../src/register/national/client.ts';
import { startTracing } from '../../src/tracing/opentelemetry.ts';
import { readTracing, tracingVariables } from '../../src/tracing/settings.ts';
import { startCollector, type Span } from './collector.ts';
import { codesIn, readDocument, tableUnder } from '../documents.ts';
import { unit } from '../mirrored-register.ts';
import { recordOf } from '../register-records.ts';
import { startRegisterServer } from '../register-server.ts';
import { endWithFile, kundebokHere, ownDatabase, startService } from '../service.ts';
import { createWorld, type Running } from '../world.ts';

endWithFile();
const world = await createWorld();

const TRACE_ID = '4bf92f3577b34da6a3ce929d0e0e4736';
const CALLER = '00f067aa0ba902b7';
const CLIENT = 3;

const silent = { info() {}, warn() {} };

function settings(endpoint: string, more: Record<string, string> = {}) {
  const { tracing, faults } = readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...more });
  expect(faults).toEqual([]);
  return tracing!;
}

describe('a request', async () => {
  const [collector, national] = await Promise.all([startCollector(), startRegisterServer()]);
  const tracer = await startTracing(settings(collector.url), { release: '1.2.3', log: silent });
  const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
  const source = { baseUrl: national.baseUrl, userAgent: 'test' };
  const live = nationalRegister({ ...source, timeoutMs: 5_000 });
  const register = mirroredRegister(db, live, companiesFollow.forget);
  const known = unit();
  let running: Running;
  let answer: Awaited<ReturnType<ReturnType<Running['client']>['send']>>;
  let unsampled: typeof answer;
  let failed: typeof answer;
  const traceOf = (id: string) => collector.spans.filter(({ traceId }) => traceId === id);
  let spans: Span[];
  let own: Span;

  beforeAll(async () => {
    national.hold(recordOf(known));
    running = await world.start({ tracer, register, keepLogs: true });
    const workspace = await world.workspace(running);
    const post = (traceparent: string, body: object) =>
      workspace.client.send({
        method: 'POST',
        path: '/companies',
        headers: { 'content-type': 'application/json', traceparent },
        body: JSON.stringify(body),
      });
    answer = await post(`00-${TRACE_ID}-${CALLER}-01`, { orgnr: known.orgnr });
    unsampled = await post(`00-${'1'.repeat(32)}-${CALLER}-00`, { orgnr: known.orgnr });
    await national.stop();
    failed = await post(`00-${'2'.repeat(32)}-${CALLER}-01`, { orgnr: unit().orgnr });
    await running.end();
    // Only the stop sends the spans: the batch would have waited for five seconds.
    await tracer.stop();
    spans = traceOf(TRACE_ID);
    own = spans.find(({ kind }) => kind !== CLIENT)!;
  });

  afterAll(async () => {
    await db.close();
    await collector.stop();
  });

  test('continues the trace of its caller, and is named after its route', () => {
    expect(answer.status).toBe(201);
    expect(own).toMatchObject({
      parent: CALLER,
      name: 'POST /api/v1/companies',
      kind: 2,
      failed: false,
      service: { 'service.name': 'kundebok', 'service.version': '1.2.3' },
      attributes: {
        'http.request.method': 'POST',
        'http.route': '/api/v1/companies',
        'http.response.status_code': 201,
        'url.scheme': 'http',
        'kundebok.request_id': answer.headers['x-request-id'],
      },
    });
  });

  test('has its statements and its calls to the register as children, within its own time', () => {
    const children = spans.filter((span) => span !== own);
    expect(children.length).toBe(spans.length - 1);
    for (const child of children) {
      expect(child).toMatchObject({ parent: own.id, kind: CLIENT, failed: false });
      expect(child.start).toBeGreaterThanOrEqual(own.start);
      expect(child.end).toBeLessThanOrEqual(own.end);
    }
    const statements = children.filter(({ attributes }) => attributes['db.system.name'] === 'postgresql');
    for (const { name, attributes } of statements) expect(attributes['db.query.summary']).toBe(name);
    expect(statements.map(({ name }) => name)).toEqual(expect.arrayContaining(['insert company', 'commit']));
    const calls = children.filter(({ name }) => name === 'GET');
    expect(statements.length + calls.length).toBe(children.length);
    expect(calls.map(({ attributes }) => attributes)).toContainEqual({
      'http.request.method': 'GET',
      'http.response.status_code': 200,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(national.baseUrl).port),
      'url.template': '/enhetsregisteret/api/enheter/{orgnr}',
    });
  });

  test('contains no data of the workspace, and no key', () => {
    const told = JSON.stringify(collector.spans, (_, value) => (typeof value === 'bigint' ? 0 : value));
    expect(told).not.toContain(known.orgnr);
    expect(told).not.toContain(known.name);
    expect(told).not.toMatch(/kb_|select|insert into/);
  });

  test('whose caller does not sample it sends nothing', () => {
    expect(unsampled.status).toBe(200);
    expect(traceOf('1'.repeat(32))).toEqual([]);
  });

  test('that fails says so, and why the register did not answer', () => {
    expect(failed.status).toBe(503);
    const trace = traceOf('2'.repeat(32));
    expect(trace.find(({ kind }) => kind !== CLIENT)).toMatchObject({
      failed: true,
      attributes: { 'http.response.status_code': 503, 'error.type': '503' },
    });
    expect(trace.find(({ name }) => name === 'GET')).toMatchObject({
      failed: true,
      attributes: { 'error.type': 'ECONNREFUSED' },
    });
  });

  test('has its trace in its line of the log', () => {
    const line = running.logs.find(({ status, method }) => status === 201 && method === 'POST');
    expect(line).toMatchObject({ trace_id: TRACE_ID });
  });
});

test('no part of a request seems to last longer than the request', async () => {
  const collector = await startCollector();
  const tracer = await startTracing(settings(collector.url), { release: '1.2.3', log: silent });
  for (let tick = Date.now(), count = 0; count < 20; count++) {
    const request = tracer.startRequest({ method: 'GET', headers: {}, protocol: 'http' });
    // The part begins in a millisecond of its own.
    while (Date.now() === tick);
    tick = Date.now();
    request.startStatement('find company').end();
    request.end({ method: 'GET', route: '/', status: 200, requestId: 'r', workspaceId: undefined });
  }
  await tracer.stop();
  expect(collector.spans).toHaveLength(40);
  const requests = new Map(
    collector.spans.filter(({ kind }) => kind !== CLIENT).map((span) => [span.id, span]),
  );
  const longer = collector.spans.filter(({ parent, end }) => end > (requests.get(parent)?.end ?? end));
  expect(longer).toEqual([]);
  await collector.stop();
});

test('the standard variables turn tracing on, and a collector that falls silent holds nothing up', async () => {
  const collector = await startCollector();
  const service = await startService({
    DATABASE_URL: await ownDatabase(),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_SERVICE_NAME: 'crm',
    OTEL_BSP_SCHEDULE_DELAY: '1',
    OTEL_BSP_MAX_QUEUE_SIZE: '8',
    OTEL_BSP_MAX_EXPORT_BATCH_SIZE: '4',
    OTEL_BSP_EXPORT_TIMEOUT: '50',
  });
  const headers = { authorization: `Bearer ${service.key}` };
  const ask = async () => (await fetch(`${service.address}/me`, { headers })).status;
  const lines = () => service.logged().split('\n');
  expect(await ask()).toBe(200);
  await expect.poll(() => collector.spans.map(({ name }) => name)).toContain('GET /api/v1/me');
  expect(collector.spans[0]!.service['service.name']).toBe('crm');
  // Lines of the log are gathered for a moment.
  await expect.poll(() => lines().filter((line) => line.includes('traces are sent'))).toHaveLength(1);

  collector.fallSilent();
  const requests = collector.requests();
  const complaints = () => lines().filter((line) => line.includes('traces are not sent'));
  await expect
    .poll(async () => (await ask()) === 200 && collector.requests() > requests + 2 && complaints().length)
    .toBe(1);
  expect(await service.stop()).toBe(0);
  // One line, not one for each export that failed.
  expect(complaints()).toHaveLength(1);
  await collector.stop();
});

/** What doctor says of traces. */
async function findingOf(more: Record<string, string>): Promise<object | undefined> {
  const { stdout } = await kundebokHere(['doctor', '--json'], { DATABASE_URL: await ownDatabase(), ...more });
  return (JSON.parse(stdout) as { check: string }[]).find(({ check }) => check === 'traces');
}

describe('doctor', () => {
  test('says whether traces are sent, and whether the collector takes them', async () => {
    const collector = await startCollector();
    const closed = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => closed.once('listening', resolve));
    const { port } = closed.address() as AddressInfo;
    closed.close();
    const found = await Promise.all([
      findingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: '' }),
      findingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }),
      findingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}` }),
    ]);
    await collector.stop();
    expect(found).toMatchObject([
      { ok: true, found: expect.stringContaining('off') },
      { ok: true, found: `parentbased_always_on, to ${collector.url}/v1/traces` },
      { ok: false, found: expect.stringContaining('ECONNREFUSED'), advice: expect.stringContaining('OTEL_') },
    ]);
  });
});

describe('the settings', () => {
  const endpoint = 'http://127.0.0.1:4318';

  test('are off without a collector, whatever else is set', () => {
    const off = { tracing: undefined, faults: [] };
    expect(readTracing({})).toEqual(off);
    expect(readTracing({ OTEL_TRACES_SAMPLER: 'odd' })).toEqual(off);
    expect(readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_SDK_DISABLED: 'TRUE' })).toEqual(off);
    expect(readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_EXPORTER: 'none' })).toEqual(off);
  });

  test('of traces take precedence over those of all signals', () => {
    expect(settings(`${endpoint}/`).url).toBe(`${endpoint}/v1/traces`);
    const more = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example.no/in' };
    expect(settings(endpoint, more).url).toBe('https://traces.example.no/in');
    const protocols = {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/protobuf',
    };
    expect(readTracing({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...protocols }).faults).toEqual([]);
  });

  test('that are wrong are all reported', () => {
    const { faults } = readTracing({
      OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_TRACES_SAMPLER: 'odd',
      OTEL_TRACES_SAMPLER_ARG: '2',
      OTEL_BSP_SCHEDULE_DELAY: 'soon',
    });
    expect(faults.map((fault) => fault.split(' ')[0])).toEqual([
      'OTEL_EXPORTER_OTLP_PROTOCOL',
      'OTEL_TRACES_SAMPLER',
      'OTEL_TRACES_SAMPLER_ARG',
      'OTEL_BSP_SCHEDULE_DELAY',
    ]);
  });

  test('are in docs/operating.md with their defaults', async () => {
    const rows = tableUnder(await readDocument('docs/operating.md'), 'Traces').map(([setting, usual]) => [
      codesIn(setting)[0]!,
      codesIn(usual)[0],
    ]);
    const told = Object.fromEntries(rows) as Record<string, string | undefined>;
    expect(Object.keys(told)).toEqual(expect.arrayContaining(Object.keys(tracingVariables.shape)));
    for (const name of Object.keys(tracingVariables.shape)) {
      expect(tracingVariables.parse({ [name]: told[name] })).toEqual(tracingVariables.parse({}));
    }
  });
});
