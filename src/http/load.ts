import type { IncomingMessage, RequestListener } from 'node:http';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { headersOf } from './protocol.ts';
import { overloaded } from './problem.ts';
import { requestIdOf } from './request-id.ts';
import { afterBody } from './rest-of-body.ts';

export type LoadBounds = {
  /** How many milliseconds the event loop may be late, several ticks in a row, before requests are rejected. */
  lagMs: number;
  /** Resident memory in bytes above which requests are rejected. */
  memory: number;
  /** Whether too many requests of the same key already wait. */
  isFull: (request: IncomingMessage) => boolean;
};

/** How often the loop is checked, and how many checks in a row must find it late. */
const TICK_MS = 10;
const TICKS_BEHIND = 5;

const MEMORY_INTERVAL_MS = 500;

/** The least time between garbage collections while too much memory is in use, since one takes part of a second. */
const GARBAGE_INTERVAL_MS = 5_000;

/** Called for each rejected request. */
export type OnShed = (reason: ShedReason) => void;

export const SHED_REASONS = ['lag', 'queue', 'memory'] as const;
type ShedReason = (typeof SHED_REASONS)[number];

/** Paths that always answer: probes, and the metrics that show the reason. */
const ALWAYS = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Rejects requests with 503 while the process is overloaded, so that the accepted ones are answered
 * soon. A loop that is late once may be collecting garbage; one that stays late has a queue (as in
 * CoDel, RFC 8289). Then only requests that arrive early in a turn of the loop are accepted.
 */
export function shedLoad(
  handle: RequestListener,
  bounds: LoadBounds & { securing: (request: IncomingMessage) => object },
  onShed: OnShed,
): { listener: RequestListener; stop: () => void } {
  let lastTick = performance.now();
  let ticksBehind = 0;
  let memory = 0;
  let collectedAt = -Infinity;

  const tick = setInterval(() => {
    const now = performance.now();
    ticksBehind = now - lastTick - TICK_MS > bounds.lagMs ? ticksBehind + 1 : 0;
    lastTick = now;
  }, TICK_MS).unref();
  const look = setInterval(() => {
    try {
      memory = process.memoryUsage.rss();
    } catch {
      // Reading the memory in use opens a file, and the process can open no more: the last measurement counts.
    }
    if (memory <= bounds.memory || performance.now() - collectedAt < GARBAGE_INTERVAL_MS) return;
    collectGarbage();
    collectedAt = performance.now();
  }, MEMORY_INTERVAL_MS).unref();

  function reasonToShed(request: IncomingMessage): ShedReason | undefined {
    if (memory > bounds.memory) return 'memory';
    // Requests with a key are limited by `Admission`, per key.
    if (request.headers.authorization !== undefined) return bounds.isFull(request) ? 'queue' : undefined;
    // A page that lacks one of its files is broken; they are sent from memory.
    if (request.url?.startsWith('/assets/')) return undefined;
    return ticksBehind >= TICKS_BEHIND && performance.now() - lastTick > bounds.lagMs ? 'lag' : undefined;
  }

  return {
    listener(request, response) {
      const reason = reasonToShed(request);
      if (!reason || ALWAYS.has(request.url!.split('?', 1)[0]!)) {
        handle(request, response);
        return;
      }
      onShed(reason);
      const headers = { ...headersOf(OVERLOADED, requestIdOf(request)), ...bounds.securing(request) };
      afterBody(request, (closing) => {
        if (closing) response.setHeader('connection', 'close');
        response.writeHead(503, headers).end(BODY);
      });
    },
    stop() {
      clearInterval(tick);
      clearInterval(look);
    },
  };
}

const OVERLOADED = overloaded();
const BODY = JSON.stringify(OVERLOADED.body);

/** Rejected requests need so little memory that V8 does not collect what a burst has left, for minutes at least. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  // The last resort also gives the memory back to the system.
  const gc = runInNewContext('gc') as (options: object) => void;
  gc({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
