import { execFile } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { endWithFile, environmentOf, kundebokHere, ownDatabase, ROOT } from '../service.ts';

const run = promisify(execFile);

endWithFile();
const settings = { DATABASE_URL: await ownDatabase(), PORT: '0' };

/** Standard error and exit code of a command in a shell. */
function ending(command: string) {
  return run('sh', ['-c', `"$0"bin/kundebok ${command}`, ROOT], { env: environmentOf(settings) }).then(
    ({ stderr }) => ({ code: 0, stderr }),
    ({ code, stderr }: { code: number; stderr: string }) => ({ code, stderr }),
  );
}

describe.concurrent('a command whose output is lost on a full disk', () => {
  test.each(['workspace list', 'workspace list --json', '--help'])('has failed: %s', async (command) => {
    const { code, stderr } = await ending(`${command} > /dev/full`);
    expect(code).toBe(1);
    expect(stderr).toContain('The output cannot be written: ENOSPC');
    expect(stderr).not.toMatch(/^ +at /m);
  });

  test('may be the service, which ends and says so', async () => {
    const { code, stderr } = await ending('serve > /dev/full');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^The startup message could not be written to standard output \(ENOSPC/m);
    expect(stderr).not.toMatch(/defect|^ +at /m);
  });
});

test('a service whose startup message nobody reads any more says so and does not wait', async () => {
  const { stderr } = await ending('serve | :');
  expect(stderr).toContain('The startup message could not be written to standard output (write EPIPE)');
  expect(stderr).not.toMatch(/defect|unavailable|^ +at /m);
});

test.each(['workspace list', '--help'])(
  'a reader that has gone before the output comes is no failure: %s',
  async (command) => {
    expect(await ending(`${command} | :`)).toEqual({ code: 0, stderr: '' });
  },
);

test.each(['> /dev/full', '>&1 >/dev/null | :'])(
  'a backup is made although nobody can be told how it goes: 2%s',
  async (nowhere) => {
    const folder = await mkdtemp(join(tmpdir(), 'kundebok-output-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    expect((await ending(`backup ${folder}/told.backup 2${nowhere}`)).code).toBe(0);
    expect(await readdir(folder)).toEqual(['told.backup']);
  },
);

test('a name makes no lines of its own and does not control the terminal', async () => {
  const name = 'Berg\nforged  row\r\u2028\u001B[2J\u009B2K';
  const owner = ['--owner-email', 'kari@prove.no', '--owner-first-name', 'Kari', '--owner-last-name', 'Berg'];
  await kundebokHere(['workspace', 'create', '--name', name, ...owner], settings);
  const { stdout } = await kundebokHere(['workspace', 'list'], settings);
  const shown = String.raw`Berg\u000aforged  row\u000d\u2028\u001b[2J\u009b2K`;
  expect(stdout.split('\n').filter((line) => line.includes('forged'))).toEqual([
    expect.stringContaining(shown),
  ]);
  expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u2028\u2029]/u);
});
