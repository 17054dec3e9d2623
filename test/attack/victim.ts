import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Target } from './attacks.ts';

/** What an integration of another workspace saw since it was last asked. */
export type Seen = {
  answers: number;
  /** Answers other than 200. */
  refused: number;
  /** Milliseconds in which /healthz, which needs nothing but the event loop, gave no answer. */
  longestStall: number;
  /** Milliseconds of the slowest answer. */
  longestAnswer: number;
  milliseconds: number;
};

const CLIENTS = 4;
/** A key is limited to 1 000 requests in ten seconds: this stays below. */
const PAUSE_MS = 60;
const PROBE_PAUSE_MS = 10;

const NOTHING = { answers: 0, refused: 0, longestStall: 0, longestAnswer: 0 };

/** Reads companies on a few connections, and probes the event loop on another. */
export function openVictim({ port, victimKey }: Target): { take(): Seen; close(): Promise<void> } {
  const agent = new Agent({ keepAlive: true });
  let seen = { ...NOTHING };
  let since = performance.now();
  const ended = new AbortController();

  const get = (path: string, headers = {}) =>
    new Promise<number>((resolve) => {
      request({ port, host: '127.0.0.1', path, headers, agent }, (answer) => {
        answer.resume().on('end', () => resolve(answer.statusCode!));
      })
        .on('error', () => resolve(0))
        .end();
    });

  async function work(): Promise<void> {
    while (!ended.signal.aborted) {
      const began = performance.now();
      const status = await get('/api/v1/companies', { authorization: `Bearer ${victimKey}` });
      seen.longestAnswer = Math.max(seen.longestAnswer, performance.now() - began);
      if (status === 200) seen.answers++;
      else seen.refused++;
      await sleep(PAUSE_MS);
    }
  }

  async function probe(): Promise<void> {
    while (!ended.signal.aborted) {
      const began = performance.now();
      await get('/healthz');
      seen.longestStall = Math.max(seen.longestStall, performance.now() - began);
      await sleep(PROBE_PAUSE_MS);
    }
  }

  const all = Promise.all([...Array.from({ length: CLIENTS }, work), probe()]);
  return {
    take() {
      const now = performance.now();
      const taken = { ...seen, milliseconds: now - since };
      seen = { ...NOTHING };
      since = now;
      return taken;
    },
    async close() {
      ended.abort();
      await all;
      agent.destroy();
    },
  };
}
