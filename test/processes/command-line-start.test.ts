import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { awaitDatabase } from '../../src/service/await-database.ts';
import { CommandError } from '../../src/cli/output.ts';
import { InterruptedMigration, migrate } from '../../src/db/migrate.ts';
import { DatabaseUnavailable } from '../../src/db/unavailable.ts';
import { startProxy } from '../proxy.ts';
import {
  endWithFile,
  environmentOf,
  kundebok,
  kundebokJson,
  ownDatabase,
  ROOT,
  startService,
} from '../service.ts';

endWithFile();

const AWAY = [
  ['postgres://kundebok@127.0.0.1:1/kundebok', 'connect ECONNREFUSED'],
  ['postgres://kundebok@127.0.0.1:1,127.0.0.1:2/kundebok', '127.0.0.1:1: connect ECONNREFUSED'],
  ['postgres:///kundebok?user=kundebok&host=/run/kundebok-nowhere', 'connect ENOENT'],
] as const;

const statusOf = (address: string, key: string | undefined) =>
  fetch(`${address}/me`, { headers: { authorization: `Bearer ${key}` } }).then(({ status }) => status);

async function takenPort(onTestFinished: (end: () => void) => void): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return String((server.address() as AddressInfo).port);
}

describe.concurrent('a start', () => {
  test('that finds its port taken makes no first key, and the next one does', async ({ onTestFinished }) => {
    const settings = { DATABASE_URL: await ownDatabase({ empty: true }) };
    const failed = await kundebok(['serve'], { ...settings, PORT: await takenPort(onTestFinished) });
    expect([failed.code, failed.stdout]).toEqual([1, '']);
    expect(failed.stderr).toMatch(/^Port \d+ on 127\.0\.0\.1 is taken/m);

    const service = await startService(settings);
    expect(await statusOf(service.address, service.key)).toBe(200);
    expect(await kundebokJson(['key', 'list'], settings)).toMatchObject([{ name: 'first key' }]);
    await service.stop();
  });

  test('that cannot show the first key fails, and the next one shows another', async () => {
    const settings = { DATABASE_URL: await ownDatabase({ empty: true }), PORT: '0' };
    const command = `exec '${ROOT}bin/kundebok' serve > /dev/full`;
    const child = spawn('sh', ['-c', command], {
      env: environmentOf(settings),
    });
    expect((await once(child, 'close'))[0]).toBe(1);

    const service = await startService(settings);
    expect(await statusOf(service.address, service.key)).toBe(200);
    const names = (await kundebokJson(['key', 'list'], settings)).map(({ name }: { name: string }) => name);
    expect(names).toEqual(['first key', 'first key, perhaps never shown']);
    await service.stop();
    const again = await startService(settings);
    expect(again.key).toBeUndefined();
    await again.stop();
  });

  test.for([
    ['before the first key is shown', 'first key, perhaps never shown'],
    ['after the first key was shown', 'update api_keys set name'],
  ])('survives a database that goes away %s', async ([, statement], { expect, onTestFinished }) => {
    const url = new URL(await ownDatabase({ empty: true }));
    const line = await startProxy({ host: url.hostname, port: Number(url.port) });
    onTestFinished(() => line.stop());
    url.port = String(line.port);
    line.cutAfter(statement!);
    const service = await startService({ DATABASE_URL: url.href });
    await expect.poll(() => service.logged()).toContain('Connection terminated');
    expect(await statusOf(service.address, service.key)).toBe(200);
    expect(await service.stop()).toBe(0);
    expect(service.told.match(/^ {2}kb_/gm)).toHaveLength(1);
  });

  test('waits for its database, and says so', async ({ expect, onTestFinished }) => {
    const target = new URL(await ownDatabase());
    const url = new URL(target);
    let refused = 0;
    const line = createServer((near) => {
      if (refused < 2) {
        refused += 1;
        near.destroy();
        return;
      }
      const far = connect(Number(target.port), target.hostname);
      near.pipe(far).pipe(near);
      near.on('error', () => far.destroy());
      far.on('error', () => near.destroy());
    }).listen(0, '127.0.0.1');
    await once(line, 'listening');
    onTestFinished(() => void line.close());
    url.port = String((line.address() as AddressInfo).port);

    const service = await startService({ DATABASE_URL: url.href });
    expect(await statusOf(service.address, service.key)).toBe(200);
    const waited = service
      .logged()
      .split('\n')
      .filter((text) => text.includes('the start waits for it'));
    // The line is repeated every five seconds.
    expect(waited.length).toBeGreaterThan(0);
    await service.stop();
  });

  test('does not wait for a wrong password or a database that is not there to put themselves right', async () => {
    const [stranger, missing] = [new URL(await ownDatabase()), new URL(await ownDatabase())];
    stranger.password = 'wrong';
    missing.pathname = '/kundebok_no_such_database';
    const ends = await Promise.all(
      [stranger, missing].map((url) => kundebok(['serve'], { DATABASE_URL: url.href, PORT: '0' })),
    );
    for (const { code, stdout, stderr } of ends) {
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toMatch(/^The database refuses the connection \(.+\): check user, password and name/m);
      expect(stderr).not.toContain('waits');
    }
  });

  test('waits for a minute unless it is told otherwise', async ({ expect }) => {
    const lines: object[] = [];
    const log = { warn: (fields: object) => void lines.push(fields) };
    let tries = 0;
    const step = async () => {
      if (tries++ === 0) throw new DatabaseUnavailable('away', { cause: new DatabaseUnavailable('away') });
      return 'there';
    };
    expect(await awaitDatabase(log as never, step)).toBe('there');
    expect(lines).toEqual([{ reason: 'away', seconds_left: 60 }]);
  });

  test.for([[[300]], [[0, 300]]])(
    'that loses its database after a long upgrade waits for it as long as any other: failures after %j ms',
    async ([failures], { expect }) => {
      const log = { warn: () => {} };
      const left = [...failures!];
      const step = async () => {
        const failure = left.shift();
        if (failure === undefined) return 'upgraded';
        await wait(failure);
        throw new DatabaseUnavailable('away');
      };
      expect(await awaitDatabase(log, step, 200)).toBe('upgraded');
    },
  );

  test('does not repeat for ever a long upgrade that fails each time', async ({ expect }) => {
    let tries = 0;
    const step = async () => {
      tries += 1;
      if (tries === 5) throw new Error('tried for ever');
      throw new InterruptedMigration('0007_large.sql', new DatabaseUnavailable('no space left on device'));
    };
    // Each attempt takes 40 seconds.
    const waiting = awaitDatabase({ warn: () => {} }, step, 60_000, () => tries * 40_000);
    await expect(waiting).rejects.toThrow(CommandError);
    await expect(waiting).rejects.toThrow(
      'Migration 0007_large.sql was interrupted and rolled back (no space left on device): remove the cause',
    );
    expect(tries).toBe(2);
  });

  test('waits for a disk that is too full for PostgreSQL to let anybody in', async ({
    expect,
    onTestFinished,
  }) => {
    const server = createServer((socket) => {
      const fields = Buffer.from('SFATAL\0VFATAL\0CXX000\0Mcould not write init file\0\0');
      const head = Buffer.from('E\0\0\0\0');
      head.writeInt32BE(fields.length + 4, 1);
      socket.on('error', () => undefined).once('data', () => socket.end(Buffer.concat([head, fields])));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const url = `postgres://kundebok@127.0.0.1:${port}/kundebok`;
    const waiting = awaitDatabase({ warn: () => {} }, () => migrate(url), 600);
    await expect(waiting).rejects.toThrow('unavailable for 1 seconds (could not write init file)');
  });

  test.for(AWAY)('gives up on a database that stays unavailable: %s', async ([url, reason]) => {
    const lines: object[] = [];
    const log = { warn: (fields: object) => void lines.push(fields) };
    const waiting = awaitDatabase(log as never, () => migrate(url), 1_200);
    await expect(waiting).rejects.toThrow(CommandError);
    await expect(waiting).rejects.toThrow(`The database was unavailable for 1 seconds (${reason}`);
    expect(lines).toEqual([{ reason: expect.stringContaining(reason), seconds_left: expect.any(Number) }]);
  });
});
