import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { Agent } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { clientFor, type Client, type Judge } from '../client.ts';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The compile cache that all tests share: already filled if other tests have run. */
export const NODE_COMPILE_CACHE = `${ROOT}node_modules/.cache/compiled`;

/** The service as a process, for runners other than Vitest. */
export type Service = {
  pid: number;
  port: number;
  origin: string;
  /** The key that the first start on a database made; undefined at later starts. */
  key: string | undefined;
  /** What it has logged, unless its log goes elsewhere. */
  logged(): string;
  client(token?: string, judge?: Judge): Client;
  browser(session: string): Client;
  isRunning(): boolean;
  /** Sends a signal and waits for the end. @returns its exit code */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
  /** The status of /healthz, /readyz or another path that takes no key; 0 where there is no answer. */
  probe(path: string): Promise<number>;
};

/** Only ends a start that hangs: no test measures it, and even a busy machine is faster. */
const START_LIMIT_MS = 5 * 60_000;
const READY = /(companies\/923609016|key create --help)\n/;

/** Starts it on a free port and waits until it is ready. @param log where its log goes, in place of `logged` */
export async function startService(
  settings: Record<string, string>,
  log?: number | 'ignore',
): Promise<Service> {
  const { PATH = '', HOME = '/' } = process.env;
  const child = spawn(`${ROOT}bin/kundebok`, ['serve'], {
    cwd: ROOT,
    env: { PATH, HOME, NODE_COMPILE_CACHE, PORT: '0', RATE_LIMIT: 'off', LOG_LEVEL: 'error', ...settings },
    stdio: ['ignore', 'pipe', log ?? 'pipe'],
  });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let [told, logged] = ['', ''];
  child.stdout!.setEncoding('utf8').on('data', (text: string) => (told += text));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (logged += text));
  const ended = once(child, 'close').then(([code]) => {
    process.off('exit', kill);
    return code as number | null;
  });
  const isReady = new Promise<true>((resolve) => {
    child.stdout!.on('data', () => READY.test(told) && resolve(true));
  });
  const start = await Promise.race([isReady, ended, sleep(START_LIMIT_MS, 'hangs', { ref: false })]);
  if (start !== true) {
    kill();
    throw new Error(`the service did not start (${start}): ${logged}`);
  }
  const port = Number(/127\.0\.0\.1:(\d+)/.exec(told)![1]);
  const origin = `http://127.0.0.1:${port}`;
  const agent = new Agent({ keepAlive: true, maxSockets: 512 });
  return {
    pid: child.pid!,
    port,
    origin,
    key: /^ {2}(kb_\w+)$/m.exec(told)?.[1],
    logged: () => logged,
    client: (token, judge = () => {}) => clientFor({ origin, token, agent, judge }),
    browser: (session) => clientFor({ origin, token: undefined, session, agent, judge() {} }),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    async stop(signal = 'SIGTERM') {
      child.kill(signal);
      const code = await ended;
      agent.destroy();
      return code;
    },
    probe: (path) =>
      fetch(origin + path, { signal: AbortSignal.timeout(20_000) }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return answer.status;
        },
        () => 0,
      ),
  };
}

/** Resident memory in MB. */
export function residentMb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1_024;
}

/** Open file descriptors. */
export function countDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
