import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { runSql } from './database.ts';
import { codesIn, readDocument, tableUnder } from './documents.ts';
import { endWithFile, kundebok, ownDatabase, startService } from './service.ts';

endWithFile();

/** A line to PostgreSQL that can be cut and mended. */
async function line(url: string) {
  const target = new URL(url);
  const open = new Set<Socket>();
  let cut = false;
  const proxy = createServer((socket) => {
    if (cut) {
      socket.destroy();
      return;
    }
    const onward = connect(Number(target.port || 5432), target.hostname);
    for (const [one, other] of [[socket, onward] as const, [onward, socket] as const]) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy()).on('close', () => open.delete(one) && other.destroy());
    }
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const through = new URL(url);
  through.hostname = '127.0.0.1';
  through.port = String((proxy.address() as AddressInfo).port);
  afterAll(() => void proxy.close());
  return {
    url: through.href,
    cut() {
      cut = true;
      for (const socket of open) socket.destroy();
    },
    mend: () => void (cut = false),
  };
}

const statusOf = (address: string) => fetch(address).then(({ status }) => status);

test('readiness follows the database, health does not, and no restart is needed', async () => {
  const database = await line(await ownDatabase());
  const service = await startService({ DATABASE_URL: database.url });
  const ready = () => statusOf(`${service.origin}/readyz`);
  expect(await ready()).toBe(200);

  database.cut();
  await expect.poll(ready, { timeout: 3_000, interval: 20 }).toBe(503);
  const refusal = await fetch(`${service.origin}/readyz`);
  expect(refusal.headers.get('retry-after')).toBe('1');
  expect(await refusal.json()).toEqual({
    error: expect.stringContaining('Not ready'),
    code: 'temporarily_unavailable',
  });
  expect(await statusOf(`${service.origin}/healthz`)).toBe(200);
  expect(await statusOf(`${service.address}/me`)).toBe(401);
  const asked = await fetch(`${service.address}/me`, { headers: { authorization: `Bearer ${service.key}` } });
  expect(asked.status).toBe(503);

  database.mend();
  await expect.poll(ready, { timeout: 3_000, interval: 20 }).toBe(200);
  expect(await service.stop()).toBe(0);
});

test('readiness asks for the schema of this release', async () => {
  const url = await ownDatabase();
  const service = await startService({ DATABASE_URL: url });
  await runSql(url, "insert into schema_migrations (version, name) values (9999, '9999_future.sql')");
  expect(await statusOf(`${service.origin}/readyz`)).toBe(503);
  expect(await service.stop()).toBe(0);
});

test('metrics are those that the documentation names, by route and never by id', async () => {
  const service = await startService({ DATABASE_URL: await ownDatabase() });
  const headers = { authorization: `Bearer ${service.key}` };
  await fetch(`${service.address}/companies/923609016`, { headers });
  const metrics = await (await fetch(`${service.origin}/metrics`)).text();
  const rows = tableUnder(await readDocument('docs/operating.md'), 'Metrics');
  for (const name of rows.flatMap(([names]) => codesIn(names))) {
    expect(metrics).toMatch(new RegExp(`^${name.replace('*', '\\w+')}[{ _]`, 'm'));
  }
  expect(metrics).toContain('method="GET",route="/api/v1/companies/{orgNr}",status="404"');
  expect(metrics).not.toContain('923609016');
  expect(await service.stop()).toBe(0);
});

test('SIGTERM under load on kept connections loses no request and ends with 0', async () => {
  const service = await startService({ DATABASE_URL: await ownDatabase(), RATE_LIMIT: 'off' });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  let stopping = false;
  const outcomes = { answered: 0, afterSignal: 0, refused: 0, broken: [] as string[] };

  const ask = (body: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
      const sent = request(`${service.address}/contacts`, { method: 'POST', agent, headers }, (answer) =>
        answer.resume().on('end', () => resolve(answer.statusCode ?? 0)),
      );
      sent.on('error', reject).end(body);
    });

  /** Asks until the service is gone. Only a connection that was never made may be refused. */
  async function load(): Promise<void> {
    for (;;) {
      try {
        const status = await ask('{"name":"Kari"}');
        if (status !== 201) outcomes.broken.push(String(status));
        outcomes.answered += 1;
        if (stopping) outcomes.afterSignal += 1;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ECONNREFUSED') return;
        outcomes.broken.push(String(error));
      }
    }
  }

  const loads = Array.from({ length: 16 }, load);
  await expect.poll(() => outcomes.answered, { interval: 5 }).toBeGreaterThan(200);
  const began = performance.now();
  stopping = true;
  const code = await service.stop();
  const took = performance.now() - began;
  await Promise.all(loads);
  agent.destroy();
  expect(outcomes.broken).toEqual([]);
  expect(outcomes.afterSignal).toBeGreaterThan(0);
  expect(code).toBe(0);
  expect(took).toBeLessThan(10_000);
});

test('SIGTERM lets a request under way be answered', async () => {
  const service = await startService({ DATABASE_URL: await ownDatabase() });
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
  // The sandbox takes three seconds for this one.
  const body = '{"orgnr":"343555555"}';
  const answer = fetch(`${service.address}/companies`, { method: 'POST', headers, body });
  // Sent after the other and answered: that one has arrived by now.
  await fetch(`${service.address}/me`, { headers });
  const began = performance.now();
  expect(await service.stop()).toBe(0);
  expect((await answer).status).toBe(201);
  expect(performance.now() - began).toBeLessThan(8_000);
});

test.for(['SIGINT', 'SIGHUP'] as const)(
  '%s stops it too, and it can be started again at once',
  async (signal) => {
    const settings = { DATABASE_URL: await ownDatabase() };
    const service = await startService(settings);
    expect(await service.stop(signal)).toBe(0);
    const again = await startService({ ...settings, PORT: new URL(service.origin).port });
    expect(again.key).toBeUndefined();
    expect(await again.stop()).toBe(0);
    expect(await kundebok(['workspace', 'list'], settings)).toMatchObject({ code: 0 });
  },
);

test('two that start at once on an empty database make one workspace between them', async () => {
  const settings = { DATABASE_URL: await ownDatabase({ empty: true }) };
  const both = await Promise.all([startService(settings), startService(settings)]);
  expect(both.filter(({ key }) => key !== undefined)).toHaveLength(1);
  expect(await Promise.all(both.map((service) => service.stop()))).toEqual([0, 0]);
});
