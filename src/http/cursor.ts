import { invalidRequest, type Problem } from './problem.ts';

export const FOREIGN_CURSOR = 'must be the next_cursor of this list, with the same filters and sort';

/**
 * A position in a list, as an opaque string that is valid for that list only.
 * @param kind identifies the list with its filters and sort
 */
export function encodeCursor(kind: string, place: readonly (string | number)[]): string {
  return encode([kind, ...place]);
}

/**
 * @param message says which cursor it must be
 * @throws {Problem} invalid_request for text that `encodeCursor` did not make, or made for another list
 */
export function decodeCursor(kind: string, cursor: string, message = FOREIGN_CURSOR): (string | number)[] {
  const [made, ...place] = contentOf(cursor) ?? [];
  if (made !== kind) throw foreignCursor(message);
  return place as (string | number)[];
}

/** Whether text may be the cursor of some list, or is empty as that of a first page. */
export function isCursor(text: string): boolean {
  return text === '' || contentOf(text) !== undefined;
}

/** @param message see `decodeCursor` */
export function foreignCursor(message = FOREIGN_CURSOR): Problem {
  return invalidRequest([{ field: 'cursor', message }]);
}

function contentOf(cursor: string): unknown[] | undefined {
  try {
    const content: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString());
    // Base64 decoding skips invalid characters, and JSON has several forms for one value.
    return Array.isArray(content) && encode(content) === cursor ? content : undefined;
  } catch {
    return undefined;
  }
}

function encode(content: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}
