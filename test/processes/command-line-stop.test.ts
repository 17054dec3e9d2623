import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { freePort } from './replicated-postgres.ts';
import { endWithFile, kundebok, ownDatabase, startService } from '../service.ts';

endWithFile();

test('SIGTERM under load on kept connections loses no request and ends with 0', async () => {
  const service = await startService({ DATABASE_URL: await ownDatabase(), RATE_LIMIT: 'off' });
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  let stopping = false;
  const outcomes = { answered: 0, afterSignal: 0, broken: [] as string[] };

  const ask = (body: string) =>
    new Promise<string>((resolve, reject) => {
      const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
      const sent = request(
        `${service.address}/contacts`,
        { method: 'POST', agent, headers },
        (answer) => void text(answer).then((read) => resolve(`${answer.statusCode} ${read}`), reject),
      );
      sent.on('error', reject).end(body);
    });

  /** Asks until the service is gone. Only a connection that was never made may be refused. */
  async function load(): Promise<void> {
    for (;;) {
      try {
        const answer = await ask('{"name":"Kari"}');
        // On a machine that is busy with something else the service sheds load, whether it stops or not.
        if (/^503 .*more requests than it can answer/.test(answer)) continue;
        if (!answer.startsWith('201')) outcomes.broken.push(answer);
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
  stopping = true;
  const code = await service.stop();
  await Promise.all(loads);
  agent.destroy();
  expect(outcomes.broken).toEqual([]);
  expect(outcomes.afterSignal).toBeGreaterThan(0);
  expect(code).toBe(0);
  // No connection kept the service waiting until its time limit.
  expect(service.logged()).not.toContain('their connections are closed');
  expect(service.logged()).toMatch(/"ms":\d+,"msg":"the service has stopped"/);
});

test('SIGTERM lets a request under way be answered', async () => {
  const service = await startService({ DATABASE_URL: await ownDatabase() });
  const headers = {
    authorization: `Bearer ${service.key}`,
    'content-type': 'application/json',
    'idempotency-key': 'one',
  };
  // The sandbox takes three seconds for this one.
  const body = '{"orgnr":"343555555"}';
  const post = async () =>
    (await fetch(`${service.address}/companies`, { method: 'POST', headers, body })).status;
  const both = [post(), post()];
  // One of the requests is told that the other is in progress.
  expect(await Promise.race(both)).toBe(409);
  expect(await service.stop()).toBe(0);
  expect(new Set(await Promise.all(both))).toEqual(new Set([201, 409]));
  expect(service.logged()).not.toContain('their connections are closed');
});

test('SIGINT and SIGHUP stop the service too, and it can be started again at once', async () => {
  const settings = { DATABASE_URL: await ownDatabase(), PORT: String(await freePort()) };
  const first = await startService(settings);
  expect(await first.stop('SIGINT')).toBe(0);
  const second = await startService(settings);
  expect(second.key).toBeUndefined();
  expect(await second.stop('SIGHUP')).toBe(0);
  const third = await startService(settings);
  expect(await third.stop()).toBe(0);
  expect(await kundebok(['workspace', 'list'], settings)).toMatchObject({ code: 0 });
});
