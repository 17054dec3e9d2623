import { existsSync, readFileSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { findBinaries } from '../../src/db/embedded/binaries.ts';
import { ensureDatabase, prepareCluster } from '../../src/db/embedded/cluster.ts';
import { serviceUrl, superuserUrl } from '../../src/db/embedded/connection.ts';
import { openHome } from '../../src/db/embedded/home.ts';
import { endServer } from '../../src/db/embedded/leftovers.ts';
import { startServer, type PostgresProcess } from '../../src/db/embedded/server.ts';
import { migrate } from '../../src/db/migrate.ts';

/** A durable PostgreSQL that nobody watches: it stays down until it is started again. */
export type Postgres = {
  /** The URL of the service's role, on a database with the current schema. */
  url: string;
  /** The URL of the superuser, on the same database. */
  superuserUrl: string;
  host: string;
  port: number;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Ends the server and all its sessions at once: SIGQUIT like an immediate shutdown, SIGKILL like a power cut. */
  kill(signal: 'SIGQUIT' | 'SIGKILL'): Promise<void>;
  /** Stops all its processes where they are; `thaw` lets them go on. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
};

/** Starts PostgreSQL on a folder. @param launcher maps the folder of its programs to another */
export async function startPostgres(
  folder: string,
  settings: Record<string, string> = {},
  launcher: (binaries: string) => Promise<string> = async (binaries) => binaries,
): Promise<Postgres> {
  await chmod(folder, 0o711);
  const home = await openHome(folder);
  const binaries = await findBinaries(home);
  const connection = await prepareCluster(home, binaries, false);
  const launch = {
    home,
    binaries: await launcher(binaries),
    settings,
    log: pino({ level: 'silent' }),
    port: connection.port,
  };
  let server: PostgresProcess = startServer(launch);
  await server.ready;
  await ensureDatabase(connection);
  const url = serviceUrl(connection);
  await migrate(url);

  /** Signals the main process of the server first, so that it starts no new sessions. */
  function signalAll(signal: NodeJS.Signals): void {
    const file = join(home.data, 'postmaster.pid');
    if (!existsSync(file)) return;
    const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
    for (const each of [pid, ...childrenOf(pid)]) signalOne(each, signal);
  }

  return {
    url,
    superuserUrl: Object.assign(new URL(superuserUrl(connection)), { pathname: '/kundebok' }).href,
    host: '127.0.0.1',
    port: launch.port,
    async start() {
      await endServer(launch);
      server = startServer(launch);
      await server.ready;
    },
    async kill(signal) {
      const { ended } = server;
      server.ready.catch(() => {});
      signalAll(signal);
      await ended;
    },
    freeze: () => signalAll('SIGSTOP'),
    thaw: () => signalAll('SIGCONT'),
    async stop() {
      signalAll('SIGCONT');
      await server.stop();
      await home.release();
    },
  };
}

function childrenOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split(' ').filter(Boolean).map(Number) : [];
}

function signalOne(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
