import { CallProblem, isProblem, Unreachable } from '../../client/problem.ts';
import type { Row } from './read-file.ts';

/** The most that one request holds: rows, commas in its JSON, and bytes. All are within the limits of a body. */
const MAX_ROWS = 100;
export const MAX_SEPARATORS = 950;
const MAX_BYTES = 200_000;
/** The most bytes of a row that is sent alone. */
const MAX_ROW_BYTES = 240_000;

/**
 * Sent in place of a cell that is too large for any request. It is longer than any field may be, so that only its row
 * is refused, not the whole request.
 */
const TOO_LONG = `x:${'x'.repeat(20_000)}`;

/** How often a request is tried again while the service, the register or the network is busy. */
const MAX_TRIES = 8;

/** Divides rows into batches, one for each request. */
export function batchesOf(rows: readonly Row[]): Row[][] {
  const batches: Row[][] = [];
  let room = { rows: 0, separators: 0, bytes: 0 };
  for (const row of rows.map(fitting)) {
    const separators = row.cells.length + 1;
    const bytes = mostBytes(row);
    if (room.rows < 1 || room.separators < separators || room.bytes < bytes) {
      batches.push([]);
      // The body of a check also has a list of columns, one for each cell of a row.
      room = { rows: MAX_ROWS, separators: MAX_SEPARATORS - row.cells.length, bytes: MAX_BYTES };
    }
    batches.at(-1)!.push(row);
    room = {
      rows: room.rows - 1,
      separators: room.separators - separators,
      bytes: room.bytes - bytes,
    };
  }
  return batches;
}

/** Counts three bytes for each unit of UTF-16, the most that one takes in UTF-8. An escape such as `\u0007` has six, but is rare. */
function mostBytes({ cells }: Row): number {
  return cells.reduce((sum, cell) => sum + cell.length * 3 + 4, 20);
}

function fitting(row: Row): Row {
  const isSmall = mostBytes(row) <= MAX_BYTES || new Blob([JSON.stringify(row)]).size <= MAX_ROW_BYTES;
  if (isSmall) return row;
  return { ...row, cells: row.cells.map((cell) => (cell.length > TOO_LONG.length ? TOO_LONG : cell)) };
}

/** Sends, and tries again after a while when that can help. Rejects with the signal's reason when it is aborted. */
export async function sendPatiently<T>(send: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    signal.throwIfAborted();
    try {
      return await send();
    } catch (error) {
      signal.throwIfAborted();
      const mayPass =
        error instanceof Unreachable ||
        (error instanceof CallProblem && [409, 429, 502, 503, 504].includes(error.status));
      const isFinal = isProblem(error, 'import_undone') || isProblem(error, 'workspace_changed');
      if (!mayPass || isFinal || tries === MAX_TRIES) throw error;
      await pause(Math.min(500 * 2 ** tries, 10_000), signal);
    }
  }
}

function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(end, milliseconds);
    signal.addEventListener('abort', end, { once: true });
  });
}
