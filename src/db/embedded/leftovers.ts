import { existsSync, statSync } from 'node:fs';
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError } from './errors.ts';
import type { Home } from './home.ts';
import { run } from './run.ts';

const STOP_SECONDS = { fast: '30', immediate: '10' };
const KILL_MS = 5_000;

/**
 * The name by which the processes on a data folder can be told in the process list: by what the folder is, not
 * by its path, so that a moved folder keeps it and a copied one does not.
 */
export function clusterName(data: string): string {
  const { dev, ino } = statSync(data);
  return `kundebok-${dev.toString(36)}-${ino.toString(36)}`;
}

/**
 * Ends whatever still runs on the data folder: a server whose service was killed, or the children of a server
 * that was killed. pg_ctl cannot: it takes any process with the pid in postmaster.pid for the server, and does
 * not see the children. The caller holds the folder, so nobody else can be starting one.
 * @throws {EmbeddedPostgresError} when something cannot be ended
 */
export async function clearLeftovers(home: Home, binaries: Binaries): Promise<void> {
  if (!existsSync(home.data)) return;
  const name = clusterName(home.data);
  const pidFile = join(home.data, 'postmaster.pid');
  const server = Number.parseInt(await readFile(pidFile, 'utf8').catch(() => ''), 10);
  if ((await findProcesses(name)).includes(server)) await stopServer(home, binaries);
  const deadline = performance.now() + KILL_MS;
  for (let left = await findProcesses(name); left.length > 0; left = await findProcesses(name)) {
    if (performance.now() > deadline) {
      throw new EmbeddedPostgresError(
        `Processes of an earlier PostgreSQL still run on ${home.data} and cannot be ended: look for ${name} in ps`,
      );
    }
    for (const pid of left) kill(pid);
    await sleep(10);
  }
  // The pid in it may meanwhile be another program's, which would make PostgreSQL refuse to start.
  await rm(pidFile, { force: true });
}

/**
 * Stops the server that postmaster.pid names, which must be one: fast, else immediately. Neither loses what was
 * acknowledged; after the second the next start replays the log.
 * @returns whether it has ended
 */
export async function stopServer(home: Home, binaries: Binaries): Promise<boolean> {
  const command = join(binaries.folder, 'bin', 'pg_ctl');
  for (const [mode, seconds] of Object.entries(STOP_SECONDS)) {
    const args = ['stop', '--silent', '--pgdata', home.data, '--mode', mode, '--timeout', seconds];
    if ((await run(command, args, { account: home.account })).ok) return true;
  }
  return false;
}

/** The command line of any user's process can be read, unlike its working folder. */
async function findProcesses(name: string): Promise<number[]> {
  const all = process.platform === 'linux' ? await listFromProc() : await listFromPs();
  // The server itself, and the title that its children give themselves.
  const mark = new RegExp(`^(?:.*/postgres[\\0 ]-D[\\0 ].*cluster_name=|postgres: )${name}(?![a-z0-9])`, 's');
  return all.filter(([, command]) => mark.test(command)).map(([pid]) => pid);
}

/** No command for a process that has ended meanwhile, or only waits to be reaped. */
async function listFromProc(): Promise<(readonly [number, string])[]> {
  const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0);
  return await Promise.all(
    pids.map(async (pid) => [pid, await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')] as const),
  );
}

async function listFromPs(): Promise<(readonly [number, string])[]> {
  const { stdout } = await run('/bin/ps', ['-A', '-ww', '-o', 'pid=,command=']);
  return [...stdout.matchAll(/^ *(\d+) (.*)$/gm)].map(([, pid, command]) => [Number(pid), command ?? '']);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has just ended, or is not ours to end; the caller looks again.
  }
}
