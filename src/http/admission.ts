import type { ServerResponse } from 'node:http';
import { atEndOfTurn } from './end-of-turn.ts';
import type { OnShed } from './load.ts';
import { overloaded, type Problem } from './problem.ts';

/** The most requests of one key in progress, including those whose answers the client has not read yet. */
const MAX_UNDER_WAY = 32;

/** The lowest limit: one statement that waits for a lock must not block all other requests of its key. */
const MIN_UNDER_WAY = 2;

/** The share of the database's connections that one key may use. */
const SHARE_OF_CONNECTIONS = 3 / 4;

/** The same for an overloaded key: what is accepted is answered sooner, at some cost in throughput. */
const OVERLOADED_SHARE = 1 / 2;

/** Requests that may wait, shared evenly by the keys that have requests waiting. */
const MAX_WAITING = 256;

/** A key with more rejected requests than this since its queue was last empty is overloaded. Fewer are a burst. */
const MAX_REJECTED = 128;

/** How many requests of an overloaded key may wait, so that each is answered soon. */
const MAX_WAITING_OVERLOADED = 1;

/** How long a key counts as overloaded after its queue last overflowed. */
const OVERLOAD_MS = 1_000;

/** How long a request may wait. */
const MAX_WAIT_MS = 5_000;

/** What a request does with its place among those in progress. */
export type Turn = {
  /** Whether it waited for its place. */
  hasWaited: boolean;
  /** Gives the place back before a wait for something other than this process, so that others can proceed. */
  stepAside: () => void;
  /** Takes a place again, as a new request does. @throws {Problem} overloaded */
  comeBack: () => Promise<void>;
  /** Keeps the place until `work` has ended, even if the client has gone: the work goes on using the database. */
  during: <T>(work: () => Promise<T>) => Promise<T>;
};

/** The turn of a request that takes no place. */
export const NO_TURN: Turn = {
  hasWaited: false,
  stepAside: () => {},
  comeBack: async () => {},
  during: (work) => work(),
};

export type Admission = {
  /** How many requests wait. */
  waiting(): number;
  /** Whether a request of a key would be rejected; checked before any work is done for it. */
  isFull(findKeyId: () => string | undefined): boolean;
  /**
   * Calls `start` when the request may proceed, with a problem when it is rejected, not at all when its client is gone.
   */
  enter(keyId: string, response: ServerResponse, start: (turn: Turn, problem?: Problem) => void): void;
};

/** A request that waits or is under way. */
type Entry = {
  queue: Queue;
  start: (problem?: Problem) => void;
  isUnderWay: boolean;
  timer?: NodeJS.Timeout;
};

/** The requests of one key. */
type Queue = {
  /** How many have a place, wait for a place, or have stepped aside. */
  requests: number;
  underWay: number;
  waiting: Set<Entry>;
  /** How many were rejected since the queue was last empty. */
  rejected: number;
  overloadedUntil: number;
};

/**
 * Shares the process among keys. A key has a limited number of requests in progress; further ones wait, and while
 * requests wait for the database, keys take turns. A key that exceeds its share of the queue loses its own
 * requests and no other key's.
 * @param options.connections of the database, for all keys together
 * @param options.isBehind whether requests already wait for the database
 */
export function createAdmission(options: {
  connections: number;
  isBehind: () => boolean;
  onShed: OnShed;
}): Admission {
  const { connections, isBehind, onShed } = options;
  const maxUnderWay = mostUnderWay(connections, SHARE_OF_CONNECTIONS);
  const maxOverloaded = mostUnderWay(connections, OVERLOADED_SHARE);
  const queues = new Map<string, Queue>();
  const waitingQueues = new Set<Queue>();
  /** The latest of all keys, so that one comparison is enough while no key is overloaded. */
  let overloadedUntil = 0;

  function mayStart(queue: Queue): boolean {
    const most = isOverloaded(queue) ? maxOverloaded : maxUnderWay;
    return queue.underWay === 0 || (queue.underWay < most && !isBehind());
  }

  function maxWaitingOf(queue: Queue): number {
    return isOverloaded(queue)
      ? MAX_WAITING_OVERLOADED
      : Math.max(1, Math.floor(MAX_WAITING / waitingQueues.size));
  }

  function isOverloaded(queue: Queue): boolean {
    return performance.now() < queue.overloadedUntil;
  }

  function overload(queue: Queue): void {
    queue.overloadedUntil = overloadedUntil = performance.now() + OVERLOAD_MS;
  }

  function wait(entry: Entry): void {
    const { queue } = entry;
    queue.waiting.add(entry);
    waitingQueues.add(queue);
    entry.timer = setTimeout(reject, MAX_WAIT_MS, entry).unref();
    for (const oldest of queue.waiting) {
      if (queue.waiting.size <= maxWaitingOf(queue)) break;
      reject(oldest);
      queue.rejected += 1;
      if (queue.rejected > MAX_REJECTED || isOverloaded(queue)) overload(queue);
    }
  }

  function leave(entry: Entry): void {
    clearTimeout(entry.timer);
    entry.queue.waiting.delete(entry);
    if (entry.queue.waiting.size > 0) return;
    waitingQueues.delete(entry.queue);
    entry.queue.rejected = 0;
  }

  function reject(entry: Entry): void {
    leave(entry);
    onShed('queue');
    entry.start(overloaded());
  }

  /** Starts one request of each waiting key in turn, until none may start. */
  function startWaiting(): void {
    for (let mayNot = 0; mayNot < waitingQueues.size; mayNot++) {
      const queue = firstOf(waitingQueues);
      // Moves the queue to the end of the round.
      waitingQueues.delete(queue);
      waitingQueues.add(queue);
      if (!mayStart(queue)) continue;
      const next = firstOf(queue.waiting);
      leave(next);
      begin(next);
      mayNot = -1;
    }
  }

  function admit(entry: Entry, turn: Turn): void {
    if (entry.queue.waiting.size === 0 && mayStart(entry.queue)) return begin(entry);
    turn.hasWaited = true;
    wait(entry);
  }

  function forgetIdle(keyId: string, queue: Queue): void {
    if (queue.requests > 0) return;
    // An overloaded key is idle for moments too; a new queue would have its full length again.
    if (isOverloaded(queue)) setTimeout(forgetIdle, OVERLOAD_MS, keyId, queue).unref();
    else if (queues.get(keyId) === queue) queues.delete(keyId);
  }

  const startAtEndOfTurn = atEndOfTurn<void>(startWaiting);

  /** Starts waiting requests at the end of a turn of the event loop, or at once under overload, when turns are long. */
  function startWaitingSoon(): void {
    if (performance.now() < overloadedUntil) startWaiting();
    else if (waitingQueues.size > 0) startAtEndOfTurn();
  }

  return {
    waiting: () => waitingQueues.values().reduce((sum, { waiting }) => sum + waiting.size, 0),
    isFull(findKeyId) {
      if (performance.now() >= overloadedUntil) return false;
      const queue = queues.get(findKeyId() ?? '');
      if (!queue || !isOverloaded(queue) || queue.waiting.size < maxWaitingOf(queue)) return false;
      overload(queue);
      return true;
    },
    enter(keyId, response, start) {
      // The client left while its key was looked up: no event would give the place back.
      if (response.closed) return;
      const queue = queues.getOrInsertComputed(keyId, () => ({
        requests: 0,
        underWay: 0,
        waiting: new Set(),
        rejected: 0,
        overloadedUntil: 0,
      }));
      queue.requests++;
      let isAtWork = false;
      let hasEnded = false;
      const turn: Turn = {
        hasWaited: false,
        stepAside() {
          if (!entry.isUnderWay) return;
          entry.isUnderWay = false;
          queue.underWay--;
          startWaitingSoon();
        },
        async comeBack() {
          if (hasEnded) return;
          const { promise, resolve, reject } = Promise.withResolvers<void>();
          entry.start = (problem) => (problem ? reject(problem) : resolve());
          admit(entry, turn);
          await promise;
        },
        async during(work) {
          isAtWork = true;
          try {
            return await work();
          } finally {
            isAtWork = false;
            if (response.closed) end();
          }
        },
      };
      const entry: Entry = { queue, start: (problem) => start(turn, problem), isUnderWay: false };
      const end = () => {
        if (hasEnded) return;
        hasEnded = true;
        leave(entry);
        if (entry.isUnderWay) queue.underWay--;
        entry.isUnderWay = false;
        queue.requests--;
        forgetIdle(keyId, queue);
        startWaitingSoon();
      };
      response.once('close', () => {
        if (!isAtWork) end();
      });
      admit(entry, turn);
    },
  };
}

function mostUnderWay(connections: number, share: number): number {
  return Math.min(MAX_UNDER_WAY, connections, Math.max(MIN_UNDER_WAY, Math.floor(connections * share)));
}

function begin(entry: Entry): void {
  entry.isUnderWay = true;
  entry.queue.underWay++;
  entry.start();
}

function firstOf<T>(set: ReadonlySet<T>): T {
  return set.values().next().value!;
}
