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
 * @param checks one for each value of the position
 * @param message says which cursor it must be
 * @throws {Problem} invalid_request for text that `encodeCursor` did not make, or made for another list
 */
export function decodeCursor<Place extends readonly unknown[] | []>(
  kind: string,
  cursor: string,
  checks: { [Index in keyof Place]: (value: unknown) => value is Place[Index] },
  message = FOREIGN_CURSOR,
): Place {
  const place = placeIn(kind, cursor);
  const isValid = place.length === checks.length && checks.every((isOfType, index) => isOfType(place[index]));
  if (!isValid) throw foreignCursor(message);
  return place as Place;
}

/** The values of the position, unchecked; none in text that `encodeCursor` did not make for this list. */
export function placeIn(kind: string, cursor: string): readonly unknown[] {
  const [made, ...place] = contentOf(cursor) ?? [];
  return made === kind ? place : [];
}

/** Whether text may be the cursor of some list, or is empty, for the first page. */
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
