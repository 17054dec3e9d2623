import { existsSync, readFileSync, statSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError, hasCode } from './errors.ts';
import type { Home } from './home.ts';
import { run } from './run.ts';

/** What a server is started from. */
export type Installation = { home: Home; binaries: string };

/** Limit for a fast shutdown. Killing the server after that loses nothing either: the next start replays its log. */
const STOP_TIMEOUT_MS = 30_000;
const KILL_TIMEOUT_MS = 5_000;

/**
 * Identifies the processes on a data folder in the process list. Made from the folder's inode instead of its path,
 * so that a moved folder keeps the name and a copied one does not.
 */
export function clusterName(data: string): string {
  const { dev, ino } = statSync(data);
  return `kundebok-${dev.toString(36)}-${ino.toString(36)}`;
}

/**
 * Ends all processes that use the data folder: a server, or the children of a server that was killed. pg_ctl does not
 * see the children, and takes any process with the pid in postmaster.pid for the server: it is used only if that
 * process is the server. The caller has locked the folder, so no other service can be starting a server.
 * @param name of the cluster; given by a caller whose data may no longer be at their path
 * @throws {EmbeddedPostgresError} when something cannot be ended
 */
export async function endServer(
  { home, binaries }: Installation,
  name = existsSync(home.data) && clusterName(home.data),
): Promise<void> {
  if (!name) return;
  const server = readPid(home.data);
  let deadline = performance.now();
  if ((await findProcesses(name)).includes(server)) {
    // Without waiting: to pg_ctl, a server that has ended but stays in the list of processes still runs.
    const options = ['stop', '--no-wait', '--mode=fast', `--pgdata=${home.data}`];
    const { ok } = await run(join(binaries, 'bin', 'pg_ctl'), options, home);
    if (ok) deadline += STOP_TIMEOUT_MS;
  }
  for (let left = await findProcesses(name); left.length > 0; left = await findProcesses(name)) {
    const late = performance.now() - deadline;
    if (late > KILL_TIMEOUT_MS) {
      throw new EmbeddedPostgresError(
        `Processes of PostgreSQL still run on ${home.data} and cannot be ended: look for ${name} in ps`,
      );
    }
    if (late > 0 || !left.includes(server)) for (const pid of left) kill(pid);
    await sleep(20);
  }
  // The pid in this file may be another program's by now, and PostgreSQL would then refuse to start.
  await rm(pidFile(home.data), { force: true });
}

const pidFile = (data: string) => join(data, 'postmaster.pid');

/** The pid of the server on the data folder, or NaN. */
export function readPid(data: string): number {
  try {
    return Number.parseInt(readFileSync(pidFile(data), 'utf8'), 10);
  } catch {
    return Number.NaN;
  }
}

/** By command line, which every user can read: that of the server itself, and the titles of its children. */
async function findProcesses(name: string): Promise<number[]> {
  // A server of release 0.1.0 has -D first.
  const mark = new RegExp(`^(?:.*/postgres[\\0 ]-[cD].*cluster_name=|postgres: )${name}(?![a-z0-9])`, 's');
  const processes = process.platform === 'linux' ? await listFromProc() : await listFromPs();
  return processes.filter(([, command]) => mark.test(command)).map(([pid]) => pid);
}

/** Small Linux images have no ps. A process that has ended has no command. */
async function listFromProc(): Promise<[number, string][]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  return Promise.all(
    pids.map(async (pid): Promise<[number, string]> => {
      return [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')];
    }),
  );
}

async function listFromPs(): Promise<[number, string][]> {
  const { stdout } = await run('/bin/ps', ['-A', '-ww', '-o', 'pid=,command=']);
  return [...stdout.matchAll(/^ *(\d+) (.*)$/gm)].map(([, pid, command]) => [Number(pid), command ?? '']);
}

/** False for a process that has ended and stays in the list, as the children of process 1 do in some containers. */
export function isRunning(pid: number): boolean {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`).length > 0;
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Any other error, such as too many open files, does not mean that the process has ended.
    return !hasCode(error, 'ENOENT', 'ESRCH');
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has just ended, or belongs to another user; the caller looks again.
  }
}
