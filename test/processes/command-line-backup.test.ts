import { chmod, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { endWithFile, kundebok, kundebokHere, kundebokJson, startService } from '../service.ts';

const folder = await mkdtemp(join(tmpdir(), 'kundebok-backup-'));
// When the tests run as root, PostgreSQL's user must be able to reach what is in it.
await chmod(folder, 0o711);
const first = { DATA_DIR: join(folder, 'first') };
const second = { DATA_DIR: join(folder, 'second') };
afterAll(() => rm(folder, { recursive: true, force: true }));
endWithFile();

test('a backup of the running embedded database comes back in another DATA_DIR', async () => {
  const service = await startService(first);
  const headers = { authorization: `Bearer ${service.key}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const response = await fetch(`${service.address}${path}`, {
      method: 'POST',
      headers,
      body: JSON.stringify(body),
    });
    return ((await response.json()) as { data: { id: string } }).data;
  };
  const kari = await post('/contacts', { name: 'Kari' });
  const ola = await post('/contacts', { name: 'Ola' });
  const path = join(folder, 'one.backup');
  const made = await kundebokJson(['backup', path], first);
  expect(made).toMatchObject({ tables: expect.any(Number), bytes: (await stat(path)).size });
  await fetch(`${service.address}/contacts/${kari.id}`, {
    method: 'DELETE',
    headers: { authorization: headers.authorization },
  });
  const [{ workspace_id: workspace }] = await kundebokJson(['workspace', 'list'], first, kundebokHere);

  const onto = await kundebokHere(['restore', path], first);
  expect([onto.code, onto.stderr]).toEqual([1, expect.stringContaining('The database is not empty')]);
  const { stdout: url } = await kundebokHere(['database-url'], first);
  const restored = await kundebok(['restore', path, '--erased-in', url.trim()], second);
  expect(restored.code).toBe(0);
  expect(restored.stdout).toContain(
    `members and passwords are those of ${restored.stdout.match(/made_at +(\S+)/)![1]}`,
  );
  const erase = `bin/kundebok contact erase --workspace ${workspace} ${kari.id}`;
  expect(restored.stdout).toContain(`  DATA_DIR=${second.DATA_DIR} ${erase}\n`);
  expect(restored.stdout).not.toContain(ola.id);
  await service.stop();

  const again = await startService(second);
  expect(again.key).toBeUndefined();
  const read = await fetch(`${again.address}/contacts/${kari.id}`, { headers });
  expect(await read.json()).toMatchObject({ data: { name: 'Kari' } });
  await again.stop();
});

test('a mistake is reported before anything is opened', async () => {
  const none = join(folder, 'none');
  const settings = { DATA_DIR: join(folder, 'third') };
  const missing = await kundebokHere(['restore', none], settings);
  expect([missing.code, missing.stderr]).toEqual([1, expect.stringContaining(`${none} cannot be read`)]);
  const aFolder = await kundebokHere(['restore', '--check', folder], settings);
  expect([aFolder.code, aFolder.stderr]).toEqual([
    1,
    expect.stringMatching(`${folder} cannot be read: .*\n$`),
  ]);
  const checked = await kundebokHere(['restore', '--check', '--erased-in', none, none], settings);
  expect([checked.code, checked.stderr]).toEqual([2, expect.stringContaining('leave out --check')]);
  const log = await kundebok(['restore', none, '--erased-in', none], settings);
  expect([log.code, log.stderr]).toEqual([1, expect.stringContaining(`${none} cannot be read`)]);
  await expect(stat(settings.DATA_DIR)).rejects.toThrow('ENOENT');
  const every = await kundebokHere(['doctor'], { BACKUP_EVERY: '1 day', BACKUP_FOLDER: folder });
  expect(every.stdout).toContain('BACKUP_EVERY must be a number of minutes, hours or days, for example 30m');
});
