import { setTimeout as sleep } from 'node:timers/promises';
import { messageOf } from './errors.ts';
import type { Log, Server } from './server.ts';

const FIRST_DELAY_MS = 100;
const LONGEST_DELAY_MS = 5_000;
const STABLE_MS = 60_000;

/**
 * Keeps a server up: whenever it ends, starts it again, at once the first time and then with growing delays.
 * @param relaunch starts the server; its signal says to give up
 * @returns ends the watch and the server, whatever it is at just then
 */
export function watchServer(
  first: Server,
  relaunch: (signal: AbortSignal) => Promise<Server>,
  log: Log,
): () => Promise<void> {
  const stopping = new AbortController();
  let server: Server | undefined = first;
  let stopped: Promise<void> | undefined;

  async function watch(): Promise<void> {
    let delay = 0;
    while (server !== undefined) {
      const since = performance.now();
      const reason = await server.ended;
      if (stopping.signal.aborted) return;
      log('error', `PostgreSQL has ended (${reason}); starting it again`);
      if (performance.now() - since > STABLE_MS) delay = 0;
      server = undefined;
      while (server === undefined && !stopping.signal.aborted) {
        await pause(delay);
        delay = Math.min(Math.max(delay * 2, FIRST_DELAY_MS), LONGEST_DELAY_MS);
        server = await attempt();
      }
    }
  }

  async function attempt(): Promise<Server | undefined> {
    if (stopping.signal.aborted) return undefined;
    try {
      const started = await relaunch(stopping.signal);
      log('warn', 'PostgreSQL is up again');
      return started;
    } catch (error) {
      if (!stopping.signal.aborted) log('error', messageOf(error));
      return undefined;
    }
  }

  async function pause(milliseconds: number): Promise<void> {
    await sleep(milliseconds, undefined, { signal: stopping.signal, ref: false }).catch(() => {});
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await server?.stop();
    await watching;
    // It may have come up at that very moment.
    await server?.stop();
  }

  const watching = watch();
  return () => (stopped ??= stop());
}
