import { invalidRequest, type Problem } from './problem.ts';

/**
 * A place in a list as callers carry it: opaque, and good only for what it was made for.
 * @param kind what stands for the list, with its filters and sort
 */
export function encodeCursor(kind: string, place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([kind, ...place])).toString('base64url');
}

/** @throws {Problem} invalid_request for what `encodeCursor` did not make, or made for another list */
export function decodeCursor(kind: string, cursor: string): (string | number)[] {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw foreignCursor();
  }
  if (!Array.isArray(decoded) || decoded[0] !== kind) throw foreignCursor();
  const place = decoded.slice(1) as (string | number)[];
  // Base64 is read past what does not belong to it, and JSON has several forms for one value.
  if (encodeCursor(kind, place) !== cursor) throw foreignCursor();
  return place;
}

export function foreignCursor(): Problem {
  return invalidRequest([
    { field: 'cursor', message: 'must be the next_cursor of this list, with the same filters and sort' },
  ]);
}
