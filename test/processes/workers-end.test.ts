import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { endWithFile, kundebok, ownDatabase, startService } from '../service.ts';
import { childrenOf } from './children-of.ts';

endWithFile();

const settings = async () => ({ DATABASE_URL: await ownDatabase(), WORKERS: '2', RATE_LIMIT: 'off' });

test('workers that cannot start end the service with their reason', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const { code, stdout, stderr } = await kundebok(['serve'], { ...(await settings()), PORT: String(port) });
  taken.close();
  // The other worker may have begun already, and logs then that it stops.
  const logged = /^\{.*"msg":"the service (?:stops|has stopped)"\}\n/gm;
  expect({ code, stdout, stderr: stderr.replaceAll(logged, '') }).toEqual({
    code: 1,
    stdout: '',
    stderr: `Port ${port} on 127.0.0.1 is taken: stop what uses it, or set PORT\n`,
  });
});

test('a worker whose settings are refused ends the service with the reason', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-workers-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const authority = join(folder, 'authority.crt');
  await writeFile(authority, '');
  const { DATABASE_URL, ...others } = await settings();
  const url = new URL(DATABASE_URL);
  url.searchParams.set('sslmode', 'disable');
  url.searchParams.set('sslrootcert', authority);
  const service = await startService({ ...others, DATABASE_URL: url.href });
  await rename(authority, `${authority}.away`);
  const [first] = await childrenOf(service.pid);
  process.kill(first!, 'SIGKILL');
  await expect
    .poll(() => service.logged())
    .toMatch(/DATABASE_URL [^"]*sslrootcert[^"]*","msg":"a worker cannot start: the service stops"/);
  expect(await service.stop()).toBe(1);
});

test('a service that is killed takes its workers with it', async () => {
  const service = await startService(await settings());
  const workers = await childrenOf(service.pid);
  await service.stop('SIGKILL');
  for (const pid of workers) {
    await expect.poll(() => readFile(`/proc/${pid}/stat`).catch(() => 'gone')).toBe('gone');
  }
});
