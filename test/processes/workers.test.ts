import { execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { endWithFile, ownDatabase, startService, type Service } from '../service.ts';
import { childrenOf } from './children-of.ts';
import { freePort } from './replicated-postgres.ts';
import { startSteadyLoad } from './steady-load.ts';

endWithFile();

/** Each look takes processor time from the workers that start. */
const RARELY = { interval: 100 };

/** @returns which workers have answered requests of a client so far, as far as the log says */
function watchWorkers(service: Service): (name: string) => Set<number> {
  const workers = new Map<string, Set<number>>();
  let read = 0;
  return (name) => {
    const log = service.logged();
    for (let end = log.indexOf('\n', read); end !== -1; end = log.indexOf('\n', read)) {
      const line = JSON.parse(log.slice(read, end)) as { worker?: number; request_id?: string };
      const [client = ''] = (line.request_id ?? '').split('.');
      if (line.worker !== undefined) workers.getOrInsertComputed(client, () => new Set()).add(line.worker);
      read = end + 1;
    }
    return workers.get(name) ?? new Set();
  };
}

const metricsOf = async (service: Service) => (await fetch(`${service.origin}/metrics`)).text();

/** A client with one connection, which asks until it is told to stop. */
function startClient(service: Service, name: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const outcomes: string[] = [];
  const ask = () =>
    new Promise<string>((resolve) => {
      const headers = {
        authorization: `Bearer ${service.key}`,
        'x-request-id': `${name}.${outcomes.length}`,
      };
      request(`${service.address}/me`, { agent, headers }, (answer) => {
        void text(answer).then(
          () => resolve(String(answer.statusCode)),
          (error) => resolve(String(error)),
        );
      })
        .on('error', (error) => resolve(String(error)))
        .end();
    });
  const stop = startSteadyLoad(1, async () => void outcomes.push(await ask()));
  return {
    name,
    outcomes,
    stop: async () => {
      await stop();
      agent.destroy();
    },
  };
}

/** The last test that uses it stops it. Once all workers have ended, new ones start only on a port that was set. */
const service = await startService({
  DATABASE_URL: await ownDatabase(),
  WORKERS: '2',
  RATE_LIMIT: 'off',
  PORT: String(await freePort()),
});

const limitFiles = (files: number) =>
  execFileSync('prlimit', ['--pid', String(service.pid), `--nofile=${files}:`]);

test('workers have the connections that the service counts with', async () => {
  for (const pid of await childrenOf(service.pid)) {
    // Of the embedded PostgreSQL a worker knows only the address, so it cannot count them itself.
    const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
    expect(environment.split('\0')).toContain('DATABASE_CONNECTIONS=10');
  }
});

test('a worker that is killed under load is replaced, and only what it had under way is lost', async () => {
  const workersOf = watchWorkers(service);
  const clients = [startClient(service, 'client-0')];
  // Workers take connections as they find the time: the first ones may all be one worker's.
  const isSpread = () => new Set(clients.flatMap(({ name }) => [...workersOf(name)])).size === 2;
  while (!isSpread() || clients.length < 4) {
    const client = startClient(service, `client-${clients.length}`);
    clients.push(client);
    await expect.poll(() => workersOf(client.name).size).toBe(1);
  }
  const workers = clients.map(({ name }) => [...workersOf(name)][0]!);

  const [first] = await childrenOf(service.pid);
  const killed = performance.now();
  process.kill(first!, 'SIGKILL');
  await expect.poll(() => metricsOf(service), RARELY).toContain('kundebok_workers_replaced_total 1');
  await expect.poll(() => metricsOf(service), RARELY).toContain('kundebok_workers 2');
  process.stdout.write(`workers: replaced after ${Math.round(performance.now() - killed)} ms\n`);
  const counts = clients.map(({ outcomes }) => outcomes.length);
  await expect
    .poll(() => clients.every(({ outcomes }, index) => outcomes.length > counts[index]! + 20))
    .toBe(true);
  await Promise.all(clients.map((client) => client.stop()));

  const failures = clients.map(({ outcomes }) => outcomes.filter((outcome) => outcome !== '200'));
  for (const [index, lost] of failures.entries()) {
    expect(lost.length).toBeLessThanOrEqual(workers[index] === 1 ? 1 : 0);
  }
  const [, second] = await childrenOf(service.pid);
  expect(second).not.toBe(first);
});

test('workers that could not be started are started later, also when none is left', async () => {
  limitFiles(3);
  for (const pid of await childrenOf(service.pid)) process.kill(pid, 'SIGKILL');
  await expect
    .poll(() => service.logged().match(/EMFILE.*could not be reached/g)?.length, RARELY)
    .toBeGreaterThan(1);
  limitFiles(1_024);
  await expect.poll(() => metricsOf(service), RARELY).toContain('kundebok_workers 2');
});

test('SIGTERM lets requests under way be answered, and leaves no worker behind', async () => {
  const workers = await childrenOf(service.pid);
  expect(workers).toHaveLength(2);
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
  // The sandbox takes three seconds for this one.
  const body = '{"orgnr":"343555555"}';
  const answer = fetch(`${service.address}/companies`, { method: 'POST', headers, body });
  await expect.poll(() => metricsOf(service)).toMatch(/database_connections\{state="idle"\} [1-9]/);
  expect(await service.stop()).toBe(0);
  expect((await answer).status).toBe(201);
  for (const pid of workers) expect(() => process.kill(pid, 0)).toThrow('ESRCH');
});
