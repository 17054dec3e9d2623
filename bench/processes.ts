import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Question, Usage } from './probe.ts';

const PROBE = new URL('probe.ts', import.meta.url).href;

/** A measured server in a process of its own. */
export type Side = {
  name: 'floor' | 'service';
  /** `http://127.0.0.1:port` */
  origin: string;
  usage(): Promise<Usage>;
  startProfile(): Promise<void>;
  /** Ends the profile and writes it where the browser's developer tools can open it. */
  saveProfile(file: string): Promise<void>;
  stop(): Promise<void>;
};

/**
 * Starts a program and waits until it answers.
 * @param options.ready path that answers 2xx once the program is ready
 */
export async function startSide(options: {
  name: Side['name'];
  command: string;
  arguments: readonly string[];
  environment: Record<string, string>;
  port: number;
  ready: string;
}): Promise<Side> {
  const child = spawn(options.command, options.arguments, {
    // The log goes to /dev/null: formatting and writing it is measured, the disk is not.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(options.port),
      NODE_OPTIONS: `--import=${PROBE}`,
      ...options.environment,
    },
  });
  const origin = `http://127.0.0.1:${options.port}`;
  await untilReady(child, options.name, origin + options.ready);
  return {
    name: options.name,
    origin,
    usage: () => ask<Usage>(child, { ask: 'usage' }),
    startProfile: () => ask(child, { ask: 'profile' }),
    saveProfile: (file) => ask(child, { ask: 'save profile', file }),
    stop: () => stop(child),
  };
}

/** Sends a message to a child process and gives its answer. */
export async function ask<Answer>(child: ChildProcess, question: Question | object): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const onExit = () => reject(new Error('a measured process or the load generator ended'));
  child.once('exit', onExit);
  child.once('message', (answer) => resolve(answer as Answer));
  child.send(question);
  try {
    return await promise;
  } finally {
    child.off('exit', onExit);
  }
}

/** Ends a child process as an operator would. */
export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

async function untilReady(child: ChildProcess, name: string, url: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    const answer = await fetch(url, { signal: AbortSignal.timeout(5_000) }).catch((error: Error) => error);
    if (answer instanceof Response) await answer.body?.cancel();
    if (answer instanceof Response && answer.ok) return;
    if (child.exitCode !== null) throw new Error(`the ${name} ended with status ${child.exitCode}`);
    if (performance.now() > deadline) {
      const said = answer instanceof Response ? `answers ${answer.status}` : 'does not answer';
      throw new Error(`the ${name} ${said} at ${url}`);
    }
    await pause(5);
  }
}
