import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { limitWarnings } from '../../repeated-warnings.ts';
import { reasonOf } from '../unavailable.ts';
import { EmbeddedPostgresError } from './errors.ts';
import { clusterName, endServer, type Installation, isRunning, readPid } from './leftovers.ts';
import { run, spawnOptions } from './run.ts';

export type Launch = Installation & {
  log: Logger;
  /** TCP port on 127.0.0.1. */
  port: number;
  /** In addition to SETTINGS. No value may contain a quote. */
  settings: Record<string, string>;
};

/** A running PostgreSQL server. */
export type PostgresProcess = ReturnType<typeof startServer>;

/** Settings for a small machine; everything else is PostgreSQL's default, fsync and full durability included. */
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // In the data folder: systemd removes a user's files from /dev/shm at logout, and in a container /dev/shm is small.
  dynamic_shared_memory_type: 'mmap',
  max_wal_size: '512MB',
  jit: 'off',
  // Errors in statements go to their client; the log is for events of the server and holds no rows.
  log_min_messages: 'log',
  log_checkpoints: 'off',
  log_line_prefix: '',
};

/** Recovery logs its progress every ten seconds. */
const PROGRESS = /^LOG:.* elapsed time: /;
/** Lines of the server that are also in the service's log: errors, not normal operation. */
const TROUBLE =
  /^(PANIC|FATAL(?!.*(starting up|recovery mode|shutting down|terminating connection))|LOG:.*(terminated by signal|exited with exit code|could not|invalid|corrupt))/;

/** Logged for a SIGTERM: the server then refuses new sessions and waits for the others, which the service never ends. */
const WAITS_TO_END = 'received smart shutdown request';

const OTHER_VERSION = /initialized by PostgreSQL version .* not compatible with this version/;
const OTHER_VERSION_ADVICE =
  'Make a backup with the release that wrote the data, move the folder away, and restore the backup here.';

const MAX_LINES = 12;
/** pg_ctl needs a limit; replaying the log has none. */
const START_TIMEOUT_S = 7 * 86_400;
const LOOK_INTERVAL_MS = 500;
const MIN_RESTART_INTERVAL_MS = 1_000;
/** A client whose login is refused tries again several times a second. */
const REPEATED_LINE_INTERVAL_MS = 60_000;

/**
 * Starts PostgreSQL with pg_ctl. The server has ended when nothing holds the pipe of its log any more, or when its
 * process is gone: after a kill, a busy session may keep the pipe open.
 */
export function startServer(launch: Launch) {
  const { home, binaries, port, settings, log } = launch;
  const all = { ...SETTINGS, port: String(port), cluster_name: clusterName(home.data), ...settings };
  // For the shell that starts the server.
  const assignments = Object.entries(all).map(([name, value]) => `-c '${name}=${value}'`);
  const pgCtl = join(binaries, 'bin', 'pg_ctl');
  // pg_ctl would not escape a folder given as -D.
  const options = spawnOptions(home.account, { PGDATA: home.data });
  const starter = spawn(pgCtl, ['start', '-s', '-t', String(START_TIMEOUT_S), '-o', assignments.join(' ')], {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const complaints: string[] = [];
  starter.on('error', ({ message }) => complaints.push(message));
  // Without free file handles Node sets no stdout, and reports the error later.
  if (!starter.stdout) throw new EmbeddedPostgresError('PostgreSQL did not start: too many open files');
  const ready = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  let isReady = false;
  let isStopping = false;
  let wasKilled = false;
  let looking: NodeJS.Timeout | undefined;
  // For a service that exits without stopping the server. If the service is killed, its next start ends the server.
  const stopAtExit = () => {
    if (!starter.kill('SIGINT')) spawnSync(pgCtl, ['stop', '-W'], options);
  };
  process.once('exit', stopAtExit);
  function end(): void {
    clearInterval(looking);
    process.off('exit', stopAtExit);
    ended.resolve();
  }

  const warn = limitWarnings(log, REPEATED_LINE_INTERVAL_MS);
  const lines: string[] = [];
  createInterface({ input: starter.stdout }).on('line', (line) => {
    lines.push(line);
    if (lines.length > MAX_LINES) lines.shift();
    if (PROGRESS.test(line)) log.info(`PostgreSQL: ${line}`);
    else if (!isStopping && line.endsWith(WAITS_TO_END)) {
      log.warn(`PostgreSQL: ${line}`);
      void run(pgCtl, ['stop', '--no-wait', '--mode=fast', `--pgdata=${home.data}`], home).then(
        ({ ok, complaint }) => ok || log.error(`PostgreSQL could not be stopped: ${complaint}`),
      );
    } else if (isReady && TROUBLE.test(line)) warn(line, {}, `PostgreSQL: ${line}`);
  });
  createInterface({ input: starter.stderr }).on('line', (line) => complaints.push(line));
  starter.on('exit', (code, signal) => {
    if (code !== 0) complaints.push(`pg_ctl: ${signal ?? `exit status ${code}`}`);
    // The server goes on without pg_ctl, and holds the pipe: the caller ends the server.
    wasKilled = signal !== null && signal !== 'SIGINT';
    if (wasKilled) fail();
    if (code !== 0) return;
    isReady = true;
    ready.resolve();
    let pid = readPid(home.data);
    looking = setInterval(() => {
      // The pid could not be read if the service had too many files open.
      if (Number.isNaN(pid)) pid = readPid(home.data);
      else if (!isRunning(pid)) end();
    }, LOOK_INTERVAL_MS);
  });
  starter.on('close', fail);
  function fail(): void {
    end();
    // pg_ctl itself says only that the server did not start.
    const words = lines.length > 0 && !wasKilled ? lines : [...lines, ...complaints];
    if (lines.some((line) => OTHER_VERSION.test(line))) words.push(OTHER_VERSION_ADVICE);
    ready.reject(new EmbeddedPostgresError(`PostgreSQL did not start: ${words.join('\n  ')}`));
  }

  return {
    /**
     * Resolves when the server accepts connections, however long it takes to replay its log.
     * @throws {EmbeddedPostgresError} when it ends before that, with the last lines of its log
     */
    ready: ready.promise,
    /** Resolves when the server has ended, for whatever cause. */
    ended: ended.promise,
    async stop(): Promise<void> {
      isReady = false;
      isStopping = true;
      starter.kill('SIGINT');
      const isOver = ended.promise.then(() => true);
      // While the server starts, its process may not exist yet.
      do await endServer(launch, all.cluster_name);
      while (!(await Promise.race([isOver, sleep(LOOK_INTERVAL_MS, false, { ref: false })])));
    },
  };
}

/**
 * Keeps a server up: whenever it ends, starts it again, at most once a second.
 * @returns a function that stops watching and stops the server in any state; to be called once
 */
export function watchServer(first: PostgresProcess, launch: Launch): () => Promise<void> {
  const { log } = launch;
  const stopping = new AbortController();
  let server = first;

  async function watch(): Promise<void> {
    for (let since = 0; ; since = performance.now()) {
      await server.ended;
      if (stopping.signal.aborted) return;
      log.error('PostgreSQL has ended; starting it again');
      const pause = Math.max(0, since + MIN_RESTART_INTERVAL_MS - performance.now());
      await sleep(pause, undefined, { signal: stopping.signal }).catch(() => {});
      try {
        await endServer(launch);
        if (stopping.signal.aborted) return;
        server = startServer(launch);
        await server.ready;
        log.warn('PostgreSQL is up again');
      } catch (error) {
        if (!stopping.signal.aborted) log.error(reasonOf(error));
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
