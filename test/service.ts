import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, inject, vi } from 'vitest';
import { runCommand } from '../src/main.ts';
import { databaseUrl, dropDatabase, runSql } from './database.ts';

/** The checkout the tests run in. */
export const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** What a finished command left behind. */
export type Finished = { code: number | null; stdout: string; stderr: string };

/** The service as a process of its own, started as an operator starts it. */
export type Service = {
  pid: number;
  /** The base address that it printed, with /api/v1. */
  address: string;
  origin: string;
  /** The key that it printed, undefined when it printed none. */
  key: string | undefined;
  /** Everything it printed on standard output. */
  told: string;
  /** Everything it has logged so far. */
  logged(): string;
  /** Asks it to stop and waits until it has. @returns its exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

type Settings = Record<string, string>;

const COMMAND = `${ROOT}bin/kundebok`;
const LAST_LINE = /(companies\/923609016|key create --help)\n/;
const running = new Set<ChildProcess>();
const databases: { url: string; name: string }[] = [];

/** Ends the file's services and databases after its last test; to be called once, outside of any test. */
export function endWithFile(): void {
  afterAll(async () => {
    const ends = [...running].map((child) => stopped(child));
    for (const child of running) child.kill('SIGTERM');
    await Promise.all(ends);
    await Promise.all(databases.splice(0).map(({ url, name }) => dropDatabase(url, name)));
  });
}

/** Runs `kundebok` with the given settings and nothing else of this process's environment. */
export async function kundebok(args: readonly string[], settings: Settings = {}): Promise<Finished> {
  const child = launch(args, settings);
  const heard = listen(child);
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout: heard.stdout, stderr: heard.stderr };
}

let turn: Promise<unknown> = Promise.resolve();

/**
 * The same in this process, where a start costs nothing: for what a command says and does. That it ends its process,
 * and with which code, is for `kundebok`. Commands take turns, for all write to one console.
 */
export async function kundebokHere(args: readonly string[], settings: Settings = {}): Promise<Finished> {
  const ended = turn.then(() => runHere(args, settings));
  turn = ended.catch(() => {});
  return ended;
}

async function runHere(args: readonly string[], settings: Settings): Promise<Finished> {
  const heard = { stdout: '', stderr: '' };
  const out = vi.spyOn(console, 'log').mockImplementation((text) => void (heard.stdout += `${text}\n`));
  const err = vi.spyOn(console, 'error').mockImplementation((text) => void (heard.stderr += `${text}\n`));
  const own = process.env;
  process.env = environmentOf(settings);
  try {
    const code = await runCommand(args);
    return { code, ...heard };
  } finally {
    process.env = own;
    out.mockRestore();
    err.mockRestore();
  }
}

/** Starts a command that is to be stopped half-way. @returns a function that sends it a signal and waits for its end */
export function startCommand(
  args: readonly string[],
  settings: Settings,
): (signal: NodeJS.Signals) => Promise<Finished> {
  const child = launch(args, settings);
  const heard = listen(child);
  return async (signal) => {
    child.kill(signal);
    const code = await stopped(child);
    return { code, ...heard };
  };
}

/** The parsed standard output of a command that must succeed. */
export async function kundebokJson(
  args: readonly string[],
  settings: Settings,
  run = kundebok,
  // oxlint-disable-next-line typescript/no-explicit-any -- each command has a shape of its own
): Promise<any> {
  const { code, stdout, stderr } = await run([...args, '--json'], settings);
  if (code !== 0) throw new Error(`kundebok ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout);
}

/** Starts the service on a free port and waits until it says that it is ready. */
export async function startService(settings: Settings): Promise<Service> {
  const child = launch(['serve'], { PORT: '0', ...settings });
  const heard = listen(child);
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', () => LAST_LINE.test(heard.stdout) && resolve());
    child.once('close', (code) => reject(new Error(`the service ended with ${code}: ${heard.stderr}`)));
  });
  const address = /API +(http\S+)/.exec(heard.stdout)?.[1];
  if (address === undefined) throw new Error(`the service told no address: ${heard.stdout}`);
  return {
    pid: child.pid!,
    address,
    origin: new URL(address).origin,
    key: /^ {2}(kb_\w+)$/m.exec(heard.stdout)?.[1],
    told: heard.stdout,
    logged: () => heard.stderr,
    async stop(signal = 'SIGTERM') {
      const end = stopped(child);
      child.kill(signal);
      return end;
    },
  };
}

/** A database of the file's own, as a release leaves it after its migrations, or empty. */
export async function ownDatabase({ empty = false, options = '' } = {}): Promise<string> {
  const { url, prefix, template } = inject('postgres');
  const name = `${prefix}${randomBytes(8).toString('hex')}`;
  databases.push({ url, name });
  await runSql(url, `create database ${name}${empty ? '' : ` template ${template}`} ${options}`);
  return databaseUrl(url, name);
}

function launch(args: readonly string[], settings: Settings): ChildProcess {
  const child = spawn(COMMAND, args, { cwd: ROOT, env: environmentOf(settings) });
  running.add(child);
  child.once('close', () => running.delete(child));
  return child;
}

/** The whole environment of a process of a test. */
export function environmentOf(settings: Settings): Settings {
  const { PATH = '', HOME = '/' } = process.env;
  // Loading the program is most of what a command costs, and tests run many.
  return { PATH, HOME, NODE_COMPILE_CACHE: `${ROOT}node_modules/.cache/compiled`, ...settings };
}

function listen(child: ChildProcess): { stdout: string; stderr: string } {
  const heard = { stdout: '', stderr: '' };
  child.stdout?.setEncoding('utf8').on('data', (text: string) => (heard.stdout += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (heard.stderr += text));
  return heard;
}

async function stopped(child: ChildProcess): Promise<number | null> {
  if (!running.has(child)) return child.exitCode;
  const [code] = (await once(child, 'close')) as [number | null];
  return code;
}
