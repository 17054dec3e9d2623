import { spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { EmbeddedPostgresError, messageOf } from './errors.ts';
import type { Home } from './home.ts';
import { clearLeftovers, clusterName, stopServer } from './leftovers.ts';
import { spawnOptions } from './run.ts';

export type Log = (level: 'info' | 'warn' | 'error', message: string) => void;

/** A server that was started. */
export type Server = {
  /**
   * Resolves when it takes connections, however long replaying its log takes.
   * @throws {EmbeddedPostgresError} when it ends before, with its own last words
   */
  ready: Promise<void>;
  /** Resolves, with the reason in words, when the server's process has ended for whatever cause. */
  ended: Promise<string>;
  /** Ends sessions, flushes, exits. Resolves when the process has ended. */
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
};

/** For a small machine; everything else is PostgreSQL's default, fsync and full durability included. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  shared_buffers: '128MB',
  max_wal_size: '512MB',
  jit: 'off',
  // Errors in statements reach their sender; the log is for what befalls the server, without rows in it.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '',
  log_error_verbosity: 'default',
  log_destination: 'stderr',
  logging_collector: 'off',
  lc_messages: 'C',
};

/** A server that is made a standby says that its connections are read-only. */
const READY = /^LOG: +database system is ready to accept (read-only )?connections$/;
/** Recovery tells every ten seconds how far it is. */
const PROGRESS = /^LOG:.* elapsed time: /;
/** What of the server's own words belongs in the service's log: trouble, not its everyday life. */
const TROUBLE =
  /^(PANIC|FATAL(?!.*(starting up|recovery mode|shutting down|terminating connection))|LOG:.*(terminated by signal|exited with exit code|could not|invalid|corrupt))/;

const LINES_KEPT = 12;
const START_EVERY_MS = 1_000;

/**
 * Starts PostgreSQL as a child of this process. Not with pg_ctl: the server would be a child of process 1, which
 * in a container may be this very process. Killed, it would stay a zombie, which pg_ctl takes for a running
 * server and PostgreSQL for a reason not to start. A child's end is also known at once.
 */
export function startServer({ home, binaries, port, settings, log }: Launch): Server {
  const all = { ...SETTINGS, port: String(port), cluster_name: clusterName(home.data), ...settings };
  const child = spawn(
    join(binaries.folder, 'bin', 'postgres'),
    ['-D', home.data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...spawnOptions(home.account), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  // Ends PostgreSQL with a service that exits without stopping it; a killed one is cleared up at the next start.
  const endWithService = () => child.kill('SIGINT');
  process.once('exit', endWithService);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(signal ?? `exit status ${code}`));
  }).finally(() => process.off('exit', endWithService));

  const ready = Promise.withResolvers<void>();
  const lines: string[] = [];
  let stage: 'starting' | 'ready' | 'stopping' = 'starting';
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (lines.length > LINES_KEPT) lines.shift();
    if (stage === 'starting' && READY.test(line)) {
      stage = 'ready';
      // From here on it keeps nothing waiting: a command that is through may exit.
      child.unref();
      if (child.stderr instanceof Socket) child.stderr.unref();
      ready.resolve();
    }
    if (PROGRESS.test(line)) log('info', `PostgreSQL: ${line}`);
    else if (stage === 'ready' && TROUBLE.test(line)) log('warn', `PostgreSQL: ${line}`);
  });
  child.on('close', (code, signal) => {
    const words = [`PostgreSQL did not start: ${signal ?? `exit status ${code}`}`, ...lines];
    ready.reject(new EmbeddedPostgresError(words.join('\n  ')));
  });

  return {
    ready: ready.promise,
    ended,
    async stop() {
      stage = 'stopping';
      child.ref();
      const isRunning = child.exitCode === null && child.signalCode === null;
      if (isRunning && !(await stopServer(home, binaries))) {
        log('warn', 'PostgreSQL does not stop; killing it');
        child.kill('SIGKILL');
      }
      await ended;
    },
  };
}

/**
 * Keeps a server up: whenever it ends, starts it again, once a second at most.
 * @returns ends the watch and the server, whatever it is at just then; to be called once
 */
export function watchServer(first: Server, launch: Launch): () => Promise<void> {
  const { home, binaries, log } = launch;
  const stopping = new AbortController();
  let server = first;

  async function watch(): Promise<void> {
    for (let since = 0; ; since = performance.now()) {
      const reason = await server.ended;
      if (stopping.signal.aborted) return;
      log('error', `PostgreSQL has ended (${reason}); starting it again`);
      const pause = Math.max(0, since + START_EVERY_MS - performance.now());
      await sleep(pause, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
      await relaunch();
    }
  }

  async function relaunch(): Promise<void> {
    try {
      await clearLeftovers(home, binaries);
      if (stopping.signal.aborted) return;
      server = startServer(launch);
      await server.ready;
      log('warn', 'PostgreSQL is up again');
    } catch (error) {
      if (!stopping.signal.aborted) log('error', messageOf(error));
    }
  }

  const watching = watch();
  return async () => {
    stopping.abort();
    await server.stop();
    await watching;
  };
}
