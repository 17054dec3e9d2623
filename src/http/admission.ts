import type { ServerResponse } from 'node:http';
import type { OnShed } from './load.ts';
import { overloaded, type Problem } from './problem.ts';

/** Requests of one key that may be under way at most, among them those whose answers nobody has read yet. */
const MAX_UNDER_WAY = 32;

/** So that one statement that waits for a lock does not hold up everything else of its key. */
const MIN_UNDER_WAY = 2;

/** How much of the database's connections one key may use. */
const SHARE_OF_CONNECTIONS = 3 / 4;

/** Requests that may wait for their turn, shared evenly by the keys that have some waiting. */
const WAITING_ROOM = 256;

/** How many may wait after the room was full: a short queue, so that those in it are answered soon. */
const SHORT_WAITING_ROOM = 8;

/** Milliseconds for which the waiting room stays short after it last was too small. */
const OVERLOAD_LASTS = 1_000;

/** Milliseconds a request may wait for its turn. */
const MAX_WAIT = 5_000;

export type Admission = {
  /** How many requests wait for their turn. */
  waiting(): number;
  /** Whether a request of a key would be turned away; asked of each before anything is done for it. */
  isFull(findKeyId: () => string | undefined): boolean;
  /**
   * Calls `start` when it is the request's turn, with a problem when it is turned away, not at all when it is gone.
   * `stepAside` is called by a request that is about to wait for something else than the process: others go on meanwhile.
   */
  enter(
    keyId: string,
    response: ServerResponse,
    start: (stepAside: () => void, problem?: Problem) => void,
  ): void;
};

type Place = { line: Line; start: (problem?: Problem) => void; isUnderWay: boolean; timer?: NodeJS.Timeout };

/** The requests of one key. */
type Line = { underWay: number; waiting: Set<Place>; shortUntil: number };

/**
 * Shares the process among keys. A key has a bounded number of requests under way; what is more waits, and while
 * the database is behind, waiting keys take turns. A key that fills its share of the waiting room loses its own
 * requests, and nobody else's.
 * @param options.connections that the database gives all of them together
 * @param options.isBehind whether more work would only wait longer for the database
 */
export function createAdmission(options: {
  connections: number;
  isBehind: () => boolean;
  onShed: OnShed;
}): Admission {
  const { connections, isBehind, onShed } = options;
  const share = Math.max(MIN_UNDER_WAY, Math.floor(connections * SHARE_OF_CONNECTIONS));
  const maxUnderWay = Math.min(MAX_UNDER_WAY, connections, share);
  const lines = new Map<string, Line>();
  const waitingLines = new Set<Line>();
  /** The latest of all lines, so that one look is enough where none is short. */
  let shortUntil = 0;

  function mayStart({ underWay }: Line): boolean {
    return underWay === 0 || (underWay < maxUnderWay && !isBehind());
  }

  function roomOf(line: Line): number {
    const room = performance.now() < line.shortUntil ? SHORT_WAITING_ROOM : WAITING_ROOM;
    return Math.max(1, Math.floor(room / waitingLines.size));
  }

  function shorten(line: Line): void {
    line.shortUntil = shortUntil = performance.now() + OVERLOAD_LASTS;
  }

  function wait(place: Place): void {
    const { line } = place;
    line.waiting.add(place);
    waitingLines.add(line);
    place.timer = setTimeout(turnAway, MAX_WAIT, place).unref();
    if (line.waiting.size <= roomOf(line)) return;
    shorten(line);
    for (const oldest of line.waiting) {
      if (line.waiting.size <= roomOf(line)) break;
      turnAway(oldest);
    }
  }

  function leave(place: Place): void {
    clearTimeout(place.timer);
    place.line.waiting.delete(place);
    if (place.line.waiting.size === 0) waitingLines.delete(place.line);
  }

  function turnAway(place: Place): void {
    leave(place);
    onShed('queue');
    place.start(overloaded());
  }

  /** One request of each waiting key in turn, until none may start. */
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

  return {
    waiting: () => waitingLines.values().reduce((sum, { waiting }) => sum + waiting.size, 0),
    isFull(findKeyId) {
      if (performance.now() >= shortUntil) return false;
      const line = lines.get(findKeyId() ?? '');
      if (!line || performance.now() >= line.shortUntil || line.waiting.size < roomOf(line)) return false;
      shorten(line);
      return true;
    },
    enter(keyId, response, start) {
      const line = lines.getOrInsertComputed(keyId, () => ({
        underWay: 0,
        waiting: new Set(),
        shortUntil: 0,
      }));
      const stepAside = () => {
        if (!place.isUnderWay) return;
        place.isUnderWay = false;
        line.underWay--;
        startWaiting();
      };
      const place: Place = { line, start: (problem) => start(stepAside, problem), isUnderWay: false };
      response.once('close', () => {
        if (place.isUnderWay) line.underWay--;
        else leave(place);
        const isIdle = line.underWay === 0 && line.waiting.size === 0;
        if (isIdle && lines.get(keyId) === line) lines.delete(keyId);
        startWaiting();
      });
      if (line.waiting.size === 0 && mayStart(line)) begin(place);
      else wait(place);
    },
  };
}

function begin(place: Place): void {
  place.isUnderWay = true;
  place.line.underWay++;
  place.start();
}

function firstOf<T>(set: ReadonlySet<T>): T {
  return set.values().next().value!;
}
