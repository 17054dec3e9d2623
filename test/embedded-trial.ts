import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pino } from 'pino';
import { readConnection, superuserUrl } from '../src/db/embedded/connection.ts';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../src/db/embedded.ts';
import { openClient } from './database.ts';

/** Settings that make tests fast; leave them out where durability is what is tested. */
export const FAST = { fsync: 'off' };

/** A DATA_DIR of its own for one test, and all that the test starts on it. */
export type Trial = {
  dataDir: string;
  /** What the servers of this process logged: level and message. */
  messages: string[];
  start(settings?: Record<string, string>): Promise<EmbeddedPostgres>;
  /**
   * A separate process that starts the server and prints the URL or the error, and `SIGINT` at that signal. It exits at
   * SIGTERM.
   * @param runner the command that runs it, if any
   */
  launchService(runner?: string[]): ChildProcess;
  startService(): Promise<{ process: ChildProcess; url: string }>;
  /** Path of a file of the embedded server. */
  file(name: string): string;
  serverPid(): Promise<number>;
  superuserUrl(): Promise<string>;
  /** Ends all that was started, and keeps the folder. */
  end(): Promise<void>;
  /** Ends all that was started and removes the folder. */
  close(): Promise<void>;
};

/** Makes a trial with an empty DATA_DIR. */
export async function openTrial(): Promise<Trial> {
  // A name with characters that a shell would expand.
  const dataDir = await realpath(await mkdtemp(join(tmpdir(), `kundebok's "$HOME" embedded-`)));
  const running: EmbeddedPostgres[] = [];
  const services: ChildProcess[] = [];
  const messages: string[] = [];
  const file = (name: string) => join(dataDir, 'postgres', name);

  async function start(settings: Record<string, string> = FAST): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres({
      dataDir,
      settings,
      log: pino({}, { write: (line: string) => void messages.push(told(line)) }),
    });
    running.push(postgres);
    return postgres;
  }

  function launchService(runner: string[] = []): ChildProcess {
    const node = [process.execPath, '--input-type=module', '--eval', serviceProgram(dataDir)];
    const [program, ...args] = [...runner, ...node];
    const service = spawn(program!, args, {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    services.push(service);
    return service;
  }

  async function startService(): Promise<{ process: ChildProcess; url: string }> {
    const service = launchService();
    return { process: service, url: await nextLine(service) };
  }

  async function end(): Promise<void> {
    for (const postgres of running.splice(0)) await postgres.stop();
    const killed = services.splice(0);
    for (const service of killed) await kill(service);
    // Another start on the folder ends the server that a killed service left running.
    if (killed.length > 0) await (await start()).stop();
    messages.length = 0;
  }

  async function close(): Promise<void> {
    await end();
    await rm(dataDir, { recursive: true });
  }

  async function serverPid(): Promise<number> {
    return Number.parseInt(await readFile(file('data/postmaster.pid'), 'utf8'), 10);
  }

  async function superuser(): Promise<string> {
    const connection = await readConnection(file(''));
    if (connection === undefined) throw new Error('No connection is recorded');
    return superuserUrl(connection);
  }

  return {
    dataDir,
    messages,
    start,
    launchService,
    startService,
    file,
    serverPid,
    superuserUrl: superuser,
    end,
    close,
  };
}

function told(line: string): string {
  const { level, msg, count } = JSON.parse(line) as { level: number; msg: string; count?: number };
  return `${pino.levels.labels[level]} ${msg}${count === undefined ? '' : ` (${count} times)`}`;
}

function serviceProgram(dataDir: string): string {
  return `
    import { pino } from ${JSON.stringify(import.meta.resolve('pino'))};
    import { startEmbeddedPostgres } from ${JSON.stringify(new URL('../src/db/embedded.ts', import.meta.url).href)};
    process.on('SIGINT', () => process.stdout.write('SIGINT\\n'));
    process.on('SIGTERM', () => process.exit());
    setInterval(() => {}, 1_000);
    const options = { dataDir: ${JSON.stringify(dataDir)}, log: pino({ level: 'silent' }), settings: ${JSON.stringify(FAST)} };
    const line = await startEmbeddedPostgres(options).then(({ url }) => url, String);
    process.stdout.write(line + '\\n');`;
}

/** The next line that the process prints. */
export async function nextLine(service: ChildProcess): Promise<string> {
  if (service.stdout === null) throw new Error('The service has no output');
  for await (const line of createInterface({ input: service.stdout })) return line;
  throw new Error('The service said nothing');
}

/** Kills without a chance to clean up, and waits until the process is gone. */
export async function kill(service: ChildProcess): Promise<void> {
  if (service.exitCode !== null || service.signalCode !== null) return;
  const gone = once(service, 'exit');
  service.kill('SIGKILL');
  await gone;
}

/** Runs one statement on a connection of its own. */
export async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  await using client = await openClient(url);
  return (await client.query<Record<string, unknown>>(sql)).rows;
}
