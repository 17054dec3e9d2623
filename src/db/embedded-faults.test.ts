import { execFile } from 'node:child_process';
import { appendFile, chmod, mkdtemp, open, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { childrenOf } from '../../test/processes/children-of.ts';
import { openTrial, type Trial } from '../../test/embedded-trial.ts';
import { isRunning } from './embedded/leftovers.ts';

const run = promisify(execFile);
let trial: Trial;

beforeEach(async () => {
  trial = await openTrial();
});
afterEach(() => trial.close());

/** Runs a program that has taken all the files that it may open. @returns what it prints */
async function outOfFiles(body: string): Promise<string> {
  const program = `
    import { openSync } from 'node:fs';
    import { isRunning } from ${JSON.stringify(import.meta.resolve('./embedded/leftovers.ts'))};
    import { startServer } from ${JSON.stringify(import.meta.resolve('./embedded/server.ts'))};
    const say = (text) => console.log(text);
    process.on('uncaughtException', (error) => say('uncaught: ' + error.message));
    say('ready');
    try { for (;;) openSync('/dev/null'); } catch {}
    ${body}`;
  const { stdout } = await run('sh', [
    '-c',
    'ulimit -n 64; exec "$0" --input-type=module --eval "$1"',
    process.execPath,
    program,
  ]);
  return stdout;
}

test('a server is not taken for ended where the service cannot open a file', async () => {
  expect(await outOfFiles('say(isRunning(process.pid)); say(isRunning(4194305));')).toBe(
    'ready\ntrue\ntrue\n',
  );
});

test('a start without a file to open fails with the reason', async () => {
  const start = `
    const home = { folder: '/tmp', data: '/tmp', isStaged: false, account: undefined };
    try { startServer({ home, binaries: '/nowhere', port: 1, settings: {}, log: undefined }); } catch (error) { say(error.message); }`;
  expect(await outOfFiles(start)).toBe('ready\nPostgreSQL did not start: too many open files\n');
});

test('a server whose data folder was removed is stopped', async () => {
  const postgres = await trial.start();
  const pid = await trial.serverPid();
  await rm(trial.file('data'), { recursive: true });
  await postgres.stop();
  expect(isRunning(pid)).toBe(false);
});

test.runIf(process.platform === 'linux')(
  'a start whose pg_ctl is killed fails, and leaves no server',
  async () => {
    await (await trial.start()).stop();
    const folder = await mkdtemp(join(tmpdir(), 'kundebok-archive-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    await chmod(folder, 0o711);
    const pipe = join(folder, 'archive');
    await run('mkfifo', ['-m', '644', pipe]);
    // The server starts with a recovery that waits for its archive.
    await writeFile(trial.file('data/recovery.signal'), '');
    await appendFile(trial.file('data/postgresql.auto.conf'), `restore_command = 'cat ${pipe}'\n`);
    const starting = trial.start().catch(String);
    await using _writer = await open(pipe, 'w');
    const server = await trial.serverPid();
    for (const pid of await childrenOf(process.pid)) {
      // A process that has ended meanwhile has no command line.
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (command.includes('/pg_ctl\0start')) process.kill(pid, 'SIGKILL');
    }
    expect(await starting).toMatch(/PostgreSQL did not start: LOG:[^]*pg_ctl: SIGKILL/);
    expect(isRunning(server)).toBe(false);
  },
);
