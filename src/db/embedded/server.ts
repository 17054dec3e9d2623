import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError, messageOf } from './errors.ts';
import type { Home } from './home.ts';
import { clusterName, readServerFile } from './leftovers.ts';
import { PROGRAM_ENVIRONMENT } from './run.ts';

export type Log = (level: 'info' | 'warn' | 'error', message: string) => void;

/** A server that takes connections. */
export type Server = {
  /** Resolves, with the reason in words, when the server's process has ended for whatever cause. */
  ended: Promise<string>;
  /** Fast shutdown: ends sessions, flushes, exits. Resolves when the process has ended. */
  stop(): Promise<void>;
};

export type Launch = {
  home: Home;
  binaries: Binaries;
  /** TCP port on 127.0.0.1 */
  port: number;
  /** Over and above SETTINGS. */
  settings: Record<string, string>;
  log: Log;
  /** Gives the start up and ends what was started. */
  signal?: AbortSignal;
};

/** For a small machine; everything else is PostgreSQL's default, fsync and full durability included. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  jit: 'off',
  // Errors in statements reach whoever sent them; the log is for what befalls the server, without rows in it.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '',
  logging_collector: 'off',
};

const POLL_MS = 10;
const SILENCE_MS = 30_000;
const NOTICE_EVERY_MS = 10_000;
const STOP_MS = 30_000;
const GIVE_UP_MS = 10_000;
const LINES_KEPT = 12;

/**
 * Starts PostgreSQL and waits until it takes connections, however long replaying its log takes.
 * @throws {EmbeddedPostgresError} when it does not come up, with its own last words; nothing is left running
 */
export async function launchServer(launch: Launch): Promise<Server> {
  const { child, ended, lastWords, settle } = await spawnServer(launch);
  // Ends PostgreSQL with a service that exits without stopping it; a killed one is cleared up at the next start.
  const endWithService = () => child.kill('SIGINT');
  process.once('exit', endWithService);
  void ended.then(() => process.off('exit', endWithService));
  try {
    await waitUntilReady(launch, child, ended);
  } catch (error) {
    await endServer(child, ended, launch.log);
    throw new EmbeddedPostgresError(
      [`PostgreSQL did not start: ${messageOf(error)}`, ...lastWords()].join('\n  '),
    );
  }
  // From here on it keeps nothing waiting: a command that is through may exit.
  child.unref();
  if (child.stderr instanceof Socket) child.stderr.unref();
  settle('ready');
  return {
    ended,
    async stop() {
      settle('stopping');
      child.ref();
      await endServer(child, ended, launch.log);
    },
  };
}

type Stage = 'starting' | 'ready' | 'stopping';

async function spawnServer({ home, binaries, port, settings, log }: Launch): Promise<{
  child: ChildProcess;
  ended: Promise<string>;
  lastWords: () => string[];
  settle: (stage: Stage) => void;
}> {
  const all = { ...SETTINGS, port: String(port), cluster_name: await clusterName(home.data), ...settings };
  const child = spawn(
    join(binaries.folder, 'bin', 'postgres'),
    ['-D', home.data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    {
      ...home.account,
      cwd: '/',
      // A session of its own: Ctrl-C must not reach it before the service has finished its requests.
      detached: true,
      env: PROGRAM_ENVIRONMENT,
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  );
  const { promise: ended, resolve } = Promise.withResolvers<string>();
  child.on('error', (error) => resolve(error.message));
  child.on('exit', (code, signal) => resolve(signal === null ? `exit status ${code}` : signal));
  let stage: Stage = 'starting';
  const lines: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (lines.length > LINES_KEPT) lines.shift();
    const level = stage === 'ready' ? levelOf(line) : undefined;
    if (level !== undefined) log(level, `PostgreSQL: ${line}`);
  });
  return { child, ended, lastWords: () => lines, settle: (next) => (stage = next) };
}

/** What of the server's own words belongs in the service's log: trouble, not its everyday life. */
function levelOf(line: string): 'warn' | 'error' | undefined {
  if (line.startsWith('PANIC:')) return 'error';
  if (line.startsWith('FATAL:')) {
    return /starting up|recovery mode|shutting down|terminating connection/.test(line) ? undefined : 'warn';
  }
  if (line.startsWith('LOG:')) {
    return /terminated by signal|exited with exit code|could not|invalid|corrupt/.test(line)
      ? 'warn'
      : undefined;
  }
  return undefined;
}

async function waitUntilReady(launch: Launch, child: ChildProcess, ended: Promise<string>): Promise<void> {
  const { home, log, signal } = launch;
  let reason: string | undefined;
  void ended.then((text) => (reason = text));
  const began = performance.now();
  let noticeAt = began + NOTICE_EVERY_MS;
  for (;;) {
    // The server writes its state there; asking it with connections would fill its log while it recovers.
    const state = await readServerFile(home.data);
    const isOurs = state !== undefined && state.pid === child.pid;
    if (isOurs && state.ready) return;
    if (reason !== undefined) throw new Error(reason);
    if (signal?.aborted) throw new Error('the service is stopping');
    const now = performance.now();
    if (!isOurs && now - began > SILENCE_MS) throw new Error(`no sign of life in ${SILENCE_MS / 1000} s`);
    if (now > noticeAt) {
      log('info', `PostgreSQL is recovering, for ${Math.round((now - began) / 1000)} s so far`);
      noticeAt = now + NOTICE_EVERY_MS;
    }
    await sleep(POLL_MS);
  }
}

/** Fast, then immediate, then by force: none loses what was acknowledged. */
async function endServer(child: ChildProcess, ended: Promise<string>, log: Log): Promise<void> {
  const steps = [
    ['SIGINT', STOP_MS],
    ['SIGQUIT', GIVE_UP_MS],
    ['SIGKILL', GIVE_UP_MS],
  ] as const;
  for (const [signal, patience] of steps) {
    if (signal !== 'SIGINT') log('warn', `PostgreSQL does not stop; sending it ${signal}`);
    child.kill(signal);
    const timer = new AbortController();
    const waited = sleep(patience, 'waited', { signal: timer.signal }).catch(() => 'waited');
    const result = await Promise.race([ended, waited]);
    timer.abort();
    if (result !== 'waited') return;
  }
}
