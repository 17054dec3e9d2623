import type { IncomingMessage, RequestListener } from 'node:http';
import { headersOf } from './client-error.ts';
import { overloaded } from './problem.ts';
import { requestIdOf } from './request-id.ts';

export type LoadBounds = {
  /** Milliseconds the event loop may be behind for longer than `LAG_WINDOW_MS` before requests are turned away. */
  lagMs: number;
  /** Resident memory in bytes past which requests are turned away. */
  memory: number;
  /** Whether too many requests of the same key wait already. */
  isFull: (request: IncomingMessage) => boolean;
};

/** How often the loop is looked at, and for how long it must have been behind. */
const TICK_MS = 10;
const TICKS_BEHIND = 5;

const MEMORY_INTERVAL_MS = 500;

/** Told of each request that is turned away. */
export type OnShed = (reason: ShedReason) => void;

export const SHED_REASONS = ['lag', 'queue', 'memory'] as const;
type ShedReason = (typeof SHED_REASONS)[number];

/** What must answer however busy the process is: probes, and the metrics that say why. */
const ALWAYS = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Turns requests away with 503 while the process has more to do than it can, so that those it takes are answered
 * soon. A loop that is late once collects garbage; one that stays late, tick after tick, has a queue (as in
 * CoDel, RFC 8289). Then only what arrives early in a turn of the loop is taken.
 */
export function shedLoad(
  handle: RequestListener,
  bounds: LoadBounds,
  onShed: OnShed,
): { listener: RequestListener; stop: () => void } {
  let lastTick = performance.now();
  let ticksBehind = 0;
  let memory = 0;

  const tick = setInterval(() => {
    const now = performance.now();
    ticksBehind = now - lastTick - TICK_MS > bounds.lagMs ? ticksBehind + 1 : 0;
    lastTick = now;
  }, TICK_MS).unref();
  const look = setInterval(() => {
    memory = measureMemory() ?? memory;
  }, MEMORY_INTERVAL_MS).unref();

  function reasonToShed(request: IncomingMessage): ShedReason | undefined {
    if (memory > bounds.memory) return 'memory';
    // Those with a key are held back by `Admission`, which does not make one pay for another.
    if (request.headers.authorization !== undefined) return bounds.isFull(request) ? 'queue' : undefined;
    return ticksBehind >= TICKS_BEHIND && performance.now() - lastTick > bounds.lagMs ? 'lag' : undefined;
  }

  return {
    listener(request, response) {
      const reason = reasonToShed(request);
      if (!reason || ALWAYS.has(pathOf(request))) {
        handle(request, response);
        return;
      }
      onShed(reason);
      response.writeHead(503, headersOf(OVERLOADED, requestIdOf(request))).end(BODY);
    },
    stop() {
      clearInterval(tick);
      clearInterval(look);
    },
  };
}

/** Undefined while the process may open no more files: the system tells of memory through one. */
function measureMemory(): number | undefined {
  try {
    return process.memoryUsage.rss();
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EMFILE' || error.code === 'ENFILE'))
      return undefined;
    throw error;
  }
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

const OVERLOADED = overloaded();
const BODY = JSON.stringify(OVERLOADED.body);
