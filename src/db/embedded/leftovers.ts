import { existsSync, statSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './errors.ts';
import { run } from './run.ts';

/** PostgreSQL's fast shutdown. Killing it after that loses nothing either: the next start replays its log. */
export const STOP_SIGNAL = 'SIGINT';
export const STOP_TIMEOUT_MS = 30_000;
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
 * Ends all processes that still use the data folder: a server whose service was killed, or the children of a server
 * that was killed. Not with pg_ctl: it assumes that any process with the pid in postmaster.pid is the server, and does
 * not see the children. The caller has locked the folder, so no other process can be starting a server.
 * @throws {EmbeddedPostgresError} when something cannot be ended
 */
export async function endLeftovers(data: string): Promise<void> {
  if (!existsSync(data)) return;
  const name = clusterName(data);
  const pidFile = join(data, 'postmaster.pid');
  const server = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  const began = performance.now();
  for (let left = await findProcesses(name); left.length > 0; left = await findProcesses(name)) {
    const elapsed = performance.now() - began;
    if (elapsed > STOP_TIMEOUT_MS + KILL_TIMEOUT_MS) {
      throw new EmbeddedPostgresError(
        `Processes of an earlier PostgreSQL still run on ${data} and cannot be ended: look for ${name} in ps`,
      );
    }
    if (left.includes(server) && elapsed < STOP_TIMEOUT_MS) kill(server, STOP_SIGNAL);
    else for (const pid of left) kill(pid, 'SIGKILL');
    await sleep(20);
  }
  // Its pid may be another program's in the meantime, and PostgreSQL would then refuse to start.
  await rm(pidFile, { force: true });
}

/** By command line, which is readable for any user's process: the server's own, and the title of its children. */
async function findProcesses(name: string): Promise<number[]> {
  const mark = new RegExp(`^(?:.*/postgres[\\0 ]-D[\\0 ].*cluster_name=|postgres: )${name}(?![a-z0-9])`, 's');
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

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or belongs to another user; the caller looks again.
  }
}
