import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { limitWarnings } from '../../repeated-warnings.ts';
import { EmbeddedPostgresError, messageOf } from './errors.ts';
import type { Home } from './home.ts';
import { clusterName, endLeftovers, STOP_SIGNAL, STOP_TIMEOUT_MS } from './leftovers.ts';
import { spawnOptions } from './run.ts';

export type Launch = {
  home: Home;
  binaries: string;
  /** TCP port on 127.0.0.1. */
  port: number;
  /** In addition to SETTINGS. */
  settings: Record<string, string>;
  log: Logger;
};

/** A running PostgreSQL server. */
export type PostgresProcess = {
  /**
   * Resolves when it accepts connections, however long it takes to replay its log.
   * @throws {EmbeddedPostgresError} when it ends before that, with the last lines of its log
   */
  ready: Promise<void>;
  /** Resolves with the reason when the process has ended, for whatever cause. */
  ended: Promise<string>;
  stop(): Promise<void>;
};

/** For a small machine; everything else is PostgreSQL's default, fsync and full durability included. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_wal_size: '512MB',
  jit: 'off',
  // Errors in statements go to their client; the log is for events of the server and holds no rows.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '',
};

/** A standby accepts read-only connections. */
const READY = /^LOG: +database system is ready to accept (read-only )?connections$/;
/** Recovery logs its progress every ten seconds. */
const PROGRESS = /^LOG:.* elapsed time: /;
/** Lines of the server that are also in the service's log: errors, not normal operation. */
const TROUBLE =
  /^(PANIC|FATAL(?!.*(starting up|recovery mode|shutting down|terminating connection))|LOG:.*(terminated by signal|exited with exit code|could not|invalid|corrupt))/;

const OTHER_VERSION = /initialized by PostgreSQL version .* not compatible with this version/;
const OTHER_VERSION_ADVICE =
  'Make a backup with the release that wrote the data, move the folder away, and restore the backup here.';

const MAX_LINES = 12;
const MIN_RESTART_INTERVAL_MS = 1_000;
/** A client whose login is refused tries again several times a second. */
const REPEATED_LINE_INTERVAL_MS = 60_000;

/**
 * Starts PostgreSQL as a child of this process. Not with pg_ctl: the server would be a child of process 1, which
 * in a container may be this very process. If it were killed, it would stay a zombie, which pg_ctl takes for a running
 * server, and PostgreSQL would not start again. The end of a child is also known at once.
 */
export function startServer({ home, binaries, port, settings, log }: Launch): PostgresProcess {
  const all = { ...SETTINGS, port: String(port), cluster_name: clusterName(home.data), ...settings };
  const child = spawn(
    join(binaries, 'bin', 'postgres'),
    ['-D', home.data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { ...spawnOptions(home.account), stdio: ['ignore', 'ignore', 'pipe'] },
  );
  // For a service that exits without stopping the server. If the service is killed, its next start ends the server.
  const stopAtExit = () => child.kill(STOP_SIGNAL);
  process.once('exit', stopAtExit);
  const ended = new Promise<string>((resolve) => {
    child.on('error', (error) => resolve(error.message));
    child.on('exit', (code, signal) => resolve(signal ?? `exit status ${code}`));
  }).finally(() => process.off('exit', stopAtExit));

  const ready = Promise.withResolvers<void>();
  const warn = limitWarnings(log, REPEATED_LINE_INTERVAL_MS);
  const lines: string[] = [];
  let isReady = false;
  createInterface({ input: child.stderr }).on('line', (line) => {
    lines.push(line);
    if (lines.length > MAX_LINES) lines.shift();
    if (READY.test(line)) {
      isReady = true;
      ready.resolve();
    }
    if (PROGRESS.test(line)) log.info(`PostgreSQL: ${line}`);
    else if (isReady && TROUBLE.test(line)) warn(line, {}, `PostgreSQL: ${line}`);
  });
  child.on('close', (code, signal) => {
    const words = [`PostgreSQL did not start: ${signal ?? `exit status ${code}`}`, ...lines];
    if (lines.some((line) => OTHER_VERSION.test(line))) words.push(OTHER_VERSION_ADVICE);
    ready.reject(new EmbeddedPostgresError(words.join('\n  ')));
  });

  return {
    ready: ready.promise,
    ended,
    async stop() {
      isReady = false;
      child.kill(STOP_SIGNAL);
      const timer = setTimeout(() => {
        log.warn('PostgreSQL does not stop; killing it');
        child.kill('SIGKILL');
      }, STOP_TIMEOUT_MS);
      await ended;
      clearTimeout(timer);
    },
  };
}

/**
 * Keeps a server up: whenever it ends, starts it again, at most once a second.
 * @returns a function that stops watching and stops the server in any state; to be called once
 */
export function watchServer(first: PostgresProcess, launch: Launch): () => Promise<void> {
  const { home, log } = launch;
  const stopping = new AbortController();
  let server = first;

  async function watch(): Promise<void> {
    for (let since = 0; ; since = performance.now()) {
      const reason = await server.ended;
      if (stopping.signal.aborted) return;
      log.error(`PostgreSQL has ended (${reason}); starting it again`);
      const pause = Math.max(0, since + MIN_RESTART_INTERVAL_MS - performance.now());
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      try {
        await endLeftovers(home.data);
        if (stopping.signal.aborted) return;
        server = startServer(launch);
        await server.ready;
        log.warn('PostgreSQL is up again');
      } catch (error) {
        if (!stopping.signal.aborted) log.error(messageOf(error));
      }
    }
  }

  const watching = watch();
  return async () => {
    stopping.abort();
    await server.stop();
    await watching;
  };
}
