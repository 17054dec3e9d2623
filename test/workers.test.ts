import { readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { endWithFile, kundebok, ownDatabase, startService, type Service } from './service.ts';

endWithFile();

const settings = async () => ({ DATABASE_URL: await ownDatabase(), WORKERS: '2', RATE_LIMIT: 'off' });

type Line = { worker?: number; request_id?: string };

/** The lines that a service has logged, without one that is not whole yet. */
const linesOf = (service: Service) =>
  service
    .logged()
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Line);

const childrenOf = async (pid: number) =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').map(Number);

const metricsOf = async (service: Service) => (await fetch(`${service.origin}/metrics`)).text();

/** A client with one connection, which asks until it is told to stop. */
function startClient(service: Service, name: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const outcomes: string[] = [];
  const done = new AbortController();
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
  const ended = (async () => {
    while (!done.signal.aborted) outcomes.push(await ask());
    agent.destroy();
  })();
  return {
    outcomes,
    /** The workers that have answered it, as far as the log says. */
    workers: () =>
      new Set(
        linesOf(service)
          .filter(({ request_id }) => request_id?.startsWith(`${name}.`))
          .map(({ worker }) => worker),
      ),
    stop: async () => {
      done.abort();
      await ended;
    },
  };
}

test('a worker that is killed under load is replaced, and only what it had under way is lost', async () => {
  const service = await startService(await settings());
  const clients = [startClient(service, 'client-0')];
  // Workers take connections as they find the time: the first ones may all be one worker's.
  const isSpread = () => new Set(clients.flatMap((client) => [...client.workers()])).size === 2;
  while (!isSpread() || clients.length < 8) {
    const client = startClient(service, `client-${clients.length}`);
    clients.push(client);
    await expect.poll(() => client.workers().size).toBe(1);
  }
  const workers = clients.map((client) => [...client.workers()][0]!);

  const [first] = await childrenOf(service.pid);
  process.kill(first!, 'SIGKILL');
  await expect.poll(() => metricsOf(service)).toContain('kundebok_workers_replaced_total 1');
  await expect.poll(() => metricsOf(service)).toContain('kundebok_workers 2');
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
  expect(await service.stop()).toBe(0);
});

test('metrics are those of all workers together', async () => {
  const service = await startService(await settings());
  const headers = { authorization: `Bearer ${service.key}` };
  const answerers = () => new Set(linesOf(service).map(({ worker }) => worker));
  let asked = 0;
  for (; answerers().size < 2; asked++) {
    // Each on a connection of its own, which any worker may take.
    const sent = request(`${service.address}/me`, { agent: false, headers }).end();
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    await text(answer);
  }
  const count = `http_request_duration_seconds_count{method="GET",route="/api/v1/me",status="200"} ${asked}\n`;
  await expect.poll(() => metricsOf(service)).toContain(count);
  expect(await metricsOf(service)).toContain('kundebok_workers 2\n');
});

test('SIGTERM lets requests under way be answered, and leaves no worker behind', async () => {
  const service = await startService(await settings());
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

test('workers that cannot start end the service with their reason', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const { code, stdout, stderr } = await kundebok(['serve'], { ...(await settings()), PORT: String(port) });
  taken.close();
  expect({ code, stdout, stderr }).toEqual({
    code: 1,
    stdout: '',
    stderr: `Port ${port} on 127.0.0.1 is taken: stop what uses it, or set PORT\n`,
  });
});

test('a service that is killed takes its workers with it', async () => {
  const service = await startService(await settings());
  const workers = await childrenOf(service.pid);
  await service.stop('SIGKILL');
  for (const pid of workers) {
    await expect.poll(() => readFile(`/proc/${pid}/stat`).catch(() => 'gone')).toBe('gone');
  }
});
