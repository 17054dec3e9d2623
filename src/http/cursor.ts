import { invalidRequest, type Problem } from './problem.ts';

/**
 * A position in a list, as an opaque string that is valid for that list only.
 * @param kind identifies the list with its filters and sort
 */
export function encodeCursor(kind: string, place: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify([kind, ...place])).toString('base64url');
}

/** @throws {Problem} invalid_request for text that `encodeCursor` did not make, or made for another list */
export function decodeCursor(kind: string, cursor: string): (string | number)[] {
  let decoded: unknown;
  try {
    decoded = JSON.parse(Buffer.from(cursor, 'base64url').toString());
  } catch {
    throw foreignCursor();
  }
  if (!Array.isArray(decoded) || decoded[0] !== kind) throw foreignCursor();
  const place = decoded.slice(1) as (string | number)[];
  // Base64 decoding skips invalid characters, and JSON has several forms for one value.
  if (encodeCursor(kind, place) !== cursor) throw foreignCursor();
  return place;
}

export function foreignCursor(): Problem {
  return invalidRequest([
    { field: 'cursor', message: 'must be the next_cursor of this list, with the same filters and sort' },
  ]);
}
