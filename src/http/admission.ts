import type { ServerResponse } from 'node:http';
import { atEndOfTurn } from './end-of-turn.ts';
import type { OnShed } from './load.ts';
import { overloaded, type Problem } from './problem.ts';

/** The most requests of one key in progress, including those whose answers the client has not read yet. */
const MAX_UNDER_WAY = 32;

/** So that one statement that waits for a lock does not block all other requests of its key. */
const MIN_UNDER_WAY = 2;

/** The share of the database's connections that one key may use. */
const SHARE_OF_CONNECTIONS = 3 / 4;

/** Of an overloaded key, so that what is accepted is answered soon, at some cost of throughput. */
const OVERLOADED_SHARE = 1 / 2;

/** Requests that may wait, shared evenly by the keys that have requests waiting. */
const WAITING_ROOM = 256;

/** A key is overloaded once it has lost more since nothing of it waited: fewer are a burst, whose rest is answered. */
const BURST_LOST = 128;

/** How many of an overloaded key may wait, so that each is answered soon. */
const SHORT_WAITING_ROOM = 1;

/** Milliseconds for which the queue stays short after it last overflowed. */
const OVERLOAD_LASTS = 1_000;

/** Milliseconds a request may wait. */
const MAX_WAIT = 5_000;

/** What a request does with its place among those in progress. */
export type Turn = {
  /** Gives the place back before a wait for something other than this process, so that others can proceed. */
  stepAside: () => void;
  /** Keeps the place until `work` has ended, although the client may be gone: it goes on using the database. */
  during: <T>(work: () => Promise<T>) => Promise<T>;
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

type Place = { line: Line; start: (problem?: Problem) => void; isUnderWay: boolean; timer?: NodeJS.Timeout };

/** The requests of one key. */
type Line = {
  underWay: number;
  waiting: Set<Place>;
  /** How many were turned away since nothing waited. */
  lost: number;
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
  const lines = new Map<string, Line>();
  const waitingLines = new Set<Line>();
  /** The latest of all lines, so that one comparison is enough while no key is overloaded. */
  let overloadedUntil = 0;

  function mayStart(line: Line): boolean {
    const most = isOverloaded(line) ? maxOverloaded : maxUnderWay;
    return line.underWay === 0 || (line.underWay < most && !isBehind());
  }

  function roomOf(line: Line): number {
    return isOverloaded(line)
      ? SHORT_WAITING_ROOM
      : Math.max(1, Math.floor(WAITING_ROOM / waitingLines.size));
  }

  function isOverloaded(line: Line): boolean {
    return performance.now() < line.overloadedUntil;
  }

  function overload(line: Line): void {
    line.overloadedUntil = overloadedUntil = performance.now() + OVERLOAD_LASTS;
  }

  function wait(place: Place): void {
    const { line } = place;
    line.waiting.add(place);
    waitingLines.add(line);
    place.timer = setTimeout(turnAway, MAX_WAIT, place).unref();
    for (const oldest of line.waiting) {
      if (line.waiting.size <= roomOf(line)) break;
      turnAway(oldest);
      line.lost += 1;
      if (line.lost > BURST_LOST || isOverloaded(line)) overload(line);
    }
  }

  function leave(place: Place): void {
    clearTimeout(place.timer);
    place.line.waiting.delete(place);
    if (place.line.waiting.size > 0) return;
    waitingLines.delete(place.line);
    place.line.lost = 0;
  }

  function turnAway(place: Place): void {
    leave(place);
    onShed('queue');
    place.start(overloaded());
  }

  /** Starts one request of each waiting key in turn, until none may start. */
  function startWaiting(): void {
    for (let mayNot = 0; mayNot < waitingLines.size; mayNot++) {
      const line = firstOf(waitingLines);
      // To the end of the round.
      waitingLines.delete(line);
      waitingLines.add(line);
      if (!mayStart(line)) continue;
      const next = firstOf(line.waiting);
      leave(next);
      begin(next);
      mayNot = -1;
    }
  }

  const startAtEndOfTurn = atEndOfTurn<void>(startWaiting);

  /** One after the other at the end of a turn of the loop; under overload at once, since the turns are long then. */
  function startWaitingSoon(): void {
    if (performance.now() < overloadedUntil) startWaiting();
    else if (waitingLines.size > 0) startAtEndOfTurn();
  }

  return {
    waiting: () => waitingLines.values().reduce((sum, { waiting }) => sum + waiting.size, 0),
    isFull(findKeyId) {
      if (performance.now() >= overloadedUntil) return false;
      const line = lines.get(findKeyId() ?? '');
      if (!line || !isOverloaded(line) || line.waiting.size < roomOf(line)) return false;
      overload(line);
      return true;
    },
    enter(keyId, response, start) {
      // The client left while its key was looked up: no event would give the place back.
      if (response.closed) return;
      const line = lines.getOrInsertComputed(keyId, () => ({
        underWay: 0,
        waiting: new Set(),
        lost: 0,
        overloadedUntil: 0,
      }));
      let isAtWork = false;
      const turn: Turn = {
        stepAside() {
          if (!place.isUnderWay) return;
          place.isUnderWay = false;
          line.underWay--;
          startWaitingSoon();
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
      const place: Place = { line, start: (problem) => start(turn, problem), isUnderWay: false };
      const end = () => {
        leave(place);
        if (place.isUnderWay) line.underWay--;
        place.isUnderWay = false;
        const isIdle = line.underWay === 0 && line.waiting.size === 0;
        // An overloaded key is idle for moments too; a new line would have the whole room again.
        if (isIdle && isOverloaded(line)) setTimeout(end, OVERLOAD_LASTS).unref();
        else if (isIdle && lines.get(keyId) === line) lines.delete(keyId);
        startWaitingSoon();
      };
      response.once('close', () => {
        if (!isAtWork) end();
      });
      if (line.waiting.size === 0 && mayStart(line)) begin(place);
      else wait(place);
    },
  };
}

function mostUnderWay(connections: number, share: number): number {
  return Math.min(MAX_UNDER_WAY, connections, Math.max(MIN_UNDER_WAY, Math.floor(connections * share)));
}

function begin(place: Place): void {
  place.isUnderWay = true;
  place.line.underWay++;
  place.start();
}

function firstOf<T>(set: ReadonlySet<T>): T {
  return set.values().next().value!;
}
