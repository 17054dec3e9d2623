import { existsSync } from 'node:fs';
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { EmbeddedPostgresError } from './errors.ts';
import { run } from './run.ts';

type Process = { pid: number; command: string };

const FAST_SHUTDOWN_MS = 20_000;
const IMMEDIATE_SHUTDOWN_MS = 6_000;
const KILL_MS = 5_000;

/**
 * The name by which the processes on a data folder can be told in the process list: by what the folder is, not
 * by its path, so that a moved folder keeps it and a copied one does not.
 */
export async function clusterName(data: string): Promise<string> {
  const { dev, ino } = await stat(data);
  return `kundebok-${dev.toString(36)}-${ino.toString(36)}`;
}

/** The first lines of postmaster.pid: the server's pid, and whether it takes connections. */
export async function readServerFile(data: string): Promise<{ pid: number; ready: boolean } | undefined> {
  const lines = (await readFile(join(data, 'postmaster.pid'), 'utf8').catch(() => '')).split('\n');
  // Negative while a single-user session has the folder.
  const pid = Math.abs(Number(lines[0]));
  return pid > 0 ? { pid, ready: lines[7]?.trim() === 'ready' } : undefined;
}

/**
 * Ends whatever still runs on the data folder: a server whose service was killed, or the children of a server
 * that was killed. The caller holds the folder, so nobody else can be starting one.
 * @throws {EmbeddedPostgresError} when something cannot be ended
 */
export async function clearLeftovers(data: string): Promise<void> {
  if (!existsSync(data)) return;
  const name = await clusterName(data);
  const server = await readServerFile(data);
  if ((await findProcesses(name)).some(({ pid }) => pid === server?.pid)) {
    await endServer(name, server?.pid ?? 0);
  }
  for (const { pid } of await findProcesses(name)) send(pid, 'SIGKILL');
  if (!(await waitUntil(async () => (await findProcesses(name)).length === 0, KILL_MS))) {
    throw new EmbeddedPostgresError(
      `Processes of an earlier PostgreSQL still run on ${data} and cannot be ended: look for ${name} in ps`,
    );
  }
  // The pid in it may meanwhile be another program's, which would make PostgreSQL refuse to start.
  if (CAN_LIST && server !== undefined) await rm(join(data, 'postmaster.pid'), { force: true });
}

// On Windows PostgreSQL's own check of postmaster.pid has to do.
const CAN_LIST = process.platform !== 'win32';

/** Fast shutdown, else immediate: both lose nothing, the second makes the next start replay the log. */
async function endServer(name: string, pid: number): Promise<void> {
  const gone = async () => (await findProcesses(name)).every((process) => process.pid !== pid);
  send(pid, 'SIGINT');
  if (await waitUntil(gone, FAST_SHUTDOWN_MS)) return;
  send(pid, 'SIGQUIT');
  await waitUntil(gone, IMMEDIATE_SHUTDOWN_MS);
}

/** Command lines can be read whoever runs the process, unlike its working folder. */
async function findProcesses(name: string): Promise<Process[]> {
  const all = process.platform === 'linux' ? await listFromProc() : await listFromPs();
  // The server itself, and the title that its children give themselves.
  const mark = new RegExp(`^(?:.*/postgres[\\0 ]-D[\\0 ].*cluster_name=|postgres: )${name}(?![a-z0-9])`, 's');
  return all.filter(({ command }) => mark.test(command));
}

async function listFromProc(): Promise<Process[]> {
  const pids = (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry));
  return await Promise.all(pids.map(async (pid) => ({ pid: Number(pid), command: await commandOf(pid) })));
}

/** Empty for a process that has ended meanwhile, and for one that only waits to be reaped. */
async function commandOf(pid: string): Promise<string> {
  return await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
}

async function listFromPs(): Promise<Process[]> {
  if (!CAN_LIST) return [];
  const { stdout } = await run('/bin/ps', ['-A', '-ww', '-o', 'pid=,command=']);
  return stdout.split('\n').map((line) => {
    const [, pid, command] = line.match(/^ *(\d+) (.*)$/) ?? [];
    return { pid: Number(pid), command: command ?? '' };
  });
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has just ended, or is not ours to end; the caller looks whether it is gone.
  }
}

async function waitUntil(done: () => Promise<boolean>, milliseconds: number): Promise<boolean> {
  const deadline = performance.now() + milliseconds;
  while (!(await done())) {
    if (performance.now() > deadline) return false;
    await sleep(10);
  }
  return true;
}
