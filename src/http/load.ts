import type { IncomingMessage, RequestListener } from 'node:http';
import { overloaded } from './admission.ts';
import { headersOf } from './client-error.ts';
import { requestIdOf } from './request-id.ts';

export type LoadBounds = {
  /** Milliseconds the event loop may be late, time after time, before it counts as behind. */
  lagMs: number;
  /** Resident memory in bytes past which requests are turned away. */
  memory: number;
};

/** How often the loop is looked at, and how often in a row it must have been late. */
const TICK_MS = 10;
const TICKS_LATE = 5;

const MEMORY_INTERVAL_MS = 500;

export type Load = {
  /**
   * Whether the event loop has more to do than it can. One that is late once collects garbage; one that stays
   * late, tick after tick, has a queue (as in CoDel, RFC 8289). Then it is behind but for the first moments of a turn.
   */
  isLate(): boolean;
  isMemoryShort(): boolean;
  stop(): void;
};

/** Watches how busy the process is. */
export function watchLoad(bounds: LoadBounds): Load {
  let lastTick = performance.now();
  let ticksLate = 0;
  let memory = 0;

  const tick = setInterval(() => {
    const now = performance.now();
    ticksLate = now - lastTick - TICK_MS > bounds.lagMs ? ticksLate + 1 : 0;
    lastTick = now;
  }, TICK_MS).unref();
  const look = setInterval(() => {
    memory = process.memoryUsage.rss();
  }, MEMORY_INTERVAL_MS).unref();

  return {
    isLate: () => ticksLate >= TICKS_LATE && performance.now() - lastTick > bounds.lagMs,
    isMemoryShort: () => memory > bounds.memory,
    stop() {
      clearInterval(tick);
      clearInterval(look);
    },
  };
}

export const SHED_REASONS = ['lag', 'queue', 'memory'] as const;
type ShedReason = (typeof SHED_REASONS)[number];

/** Told of each request that is turned away. */
export type OnShed = (reason: ShedReason) => void;

/** What must answer however busy the process is: probes, and the metrics that say why. */
const ALWAYS = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Turns requests away with 503 before anything is done for them: all while memory is short, those without a key
 * while the loop is late, and those of a key of which too many wait already, as `isFull` tells.
 */
export function shedLoad(
  handle: RequestListener,
  load: Load,
  isFull: (request: IncomingMessage) => boolean,
  onShed: OnShed,
): RequestListener {
  function reasonToShed(request: IncomingMessage): ShedReason | undefined {
    if (load.isMemoryShort()) return 'memory';
    if (request.headers.authorization !== undefined) return isFull(request) ? 'queue' : undefined;
    return load.isLate() ? 'lag' : undefined;
  }

  return (request, response) => {
    const reason = reasonToShed(request);
    if (!reason || ALWAYS.has(pathOf(request))) {
      handle(request, response);
      return;
    }
    onShed(reason);
    response.writeHead(503, headersOf(OVERLOADED, requestIdOf(request))).end(BODY);
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  return url.split('?', 1)[0]!;
}

const OVERLOADED = overloaded();
const BODY = JSON.stringify(OVERLOADED.body);
