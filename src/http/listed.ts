import { createHash } from 'node:crypto';
import { readPage } from '../db/listing.ts';
import type { Listing, ListPlace } from '../db/listing-shape.ts';
import type { Tenant } from '../db/tenant.ts';
import { decodeCursor, foreignCursor, placeIn } from './cursor.ts';
import { isInstant, isInteger, isUuid, text } from './fields.ts';
import { cursorPageOf } from './paging.ts';

type Query = { limit: number; cursor?: string | undefined; sort?: string | undefined };

/**
 * A page of a list, found by its cursor. `filters` are the query parameters; `room` ends a page of large rows
 * sooner.
 */
export async function listPage<Row>(
  list: Listing<Row>,
  tenant: Tenant,
  query: Query,
  filters: Readonly<Record<string, unknown>> = {},
  room?: { most: number; takenBy: (row: Row) => number },
): Promise<{ data: Row[]; page: ReturnType<typeof cursorPageOf> }> {
  const { limit, sort = 'id' } = query;
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  const kind = cursorKindOf(tenant.id, list.title, sort, given);
  const isSearch = given.some(([name]) => list.sieves[name]?.isUnsorted);
  const after = query.cursor ? placeOf(list, sort, placeIn(kind, query.cursor), isSearch) : undefined;
  const asked = { filters, sort, after, limit, ...(room && { room }) };
  const { rows, next } = await readPage<Row>(list, tenant, asked);
  return { data: rows, page: cursorPageOf(kind, limit, next) };
}

/** Identifies the query that a cursor is valid for, in a short hash that does not reveal it. */
export function cursorKindOf(...asked: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64url').slice(0, 16);
}

/** Checks the content of a cursor, which comes from the caller. @throws {Problem} invalid_request */
function placeOf(list: Listing, sort: string, place: readonly unknown[], isSearch: boolean): ListPlace {
  // A search with very many matches continues in order of id, regardless of the sort.
  const type = isSearch && place.length === 1 ? undefined : list.sorts[sort]?.type;
  const [id, value] = place.toReversed();
  const isId = list.id === 'uuid' ? isUuid(id) : isInteger(id);
  const isValue =
    type === undefined
      ? place.length === 1
      : place.length === 2 && (type === 'text' ? text(10_000).safeParse(value).success : isInstant(value));
  if (!isId || !isValue) throw foreignCursor();
  return place as ListPlace;
}

/** Comes before the id of every row. */
export const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** The id in a cursor of a list that has no sort. @throws {Problem} invalid_request */
export function afterId(kind: string, cursor: string | undefined): string {
  if (!cursor) return FIRST_ID;
  return decodeCursor(kind, cursor, [isUuid])[0];
}
