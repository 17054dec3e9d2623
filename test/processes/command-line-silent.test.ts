import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { endWithFile, kundebok, startService } from '../service.ts';

const folder = await mkdtemp(join(tmpdir(), 'kundebok-silent-'));
// When the tests run as root, PostgreSQL's user must be able to reach what is in it.
await chmod(folder, 0o711);
const settings = { DATA_DIR: join(folder, 'data') };

afterAll(() => rm(folder, { recursive: true, force: true }));
endWithFile();

test('an embedded PostgreSQL that runs and does not answer is not reported as stopped', async () => {
  await startService(settings);
  const pidFile = join(settings.DATA_DIR, 'postgres', 'data', 'postmaster.pid');
  const pid = Number.parseInt(await readFile(pidFile, 'utf8'), 10);
  process.kill(pid, 'SIGSTOP');
  const ended = Promise.all([kundebok(['doctor', '--json'], settings), kundebok(['database-url'], settings)]);
  const [checked, asked] = await ended.finally(() => process.kill(pid, 'SIGCONT'));
  expect(checked.code).toBe(1);
  expect(JSON.parse(checked.stdout)).toContainEqual({
    check: 'database',
    ok: false,
    found: `embedded, in ${settings.DATA_DIR}: a process uses it, and its PostgreSQL does not answer`,
    advice: 'see the log of the service',
  });
  expect(asked).toEqual({
    code: 1,
    stdout: '',
    stderr: `A process uses ${settings.DATA_DIR}, and its PostgreSQL does not answer: see the log of the service\n`,
  });
});
