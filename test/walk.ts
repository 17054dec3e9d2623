import { expect } from 'vitest';
import type { Client } from './client.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- rows of whatever resource
type Row = any;

/** Reads a list from its first page to its last. @param between done after each page */
export async function walk(
  client: Client,
  path: string,
  limit = 100,
  between: () => Promise<unknown> = async () => {},
): Promise<Row[]> {
  const rows: Row[] = [];
  const pathOf = (cursor: string) =>
    `${path}${path.includes('?') ? '&' : '?'}limit=${limit}&cursor=${cursor}`;
  for (let cursor: string | null = ''; cursor !== null;) {
    const { status, body } = await client.get(pathOf(cursor));
    expect([path, status]).toEqual([path, 200]);
    expect(body.page).toMatchObject({ size: limit, has_more: body.page.next_cursor !== null });
    expect(body.data.length).toBeLessThanOrEqual(limit);
    rows.push(...body.data);
    cursor = body.page.next_cursor;
    await between();
  }
  return rows;
}

/** Compares rows by the values of `keys`, as the API sorts them; a key with a minus is the other way round. */
export function inOrderOf(sort: string, compare: (one: string, other: string) => number = byCodePoint) {
  const name = sort.replace('-', '');
  const sign = sort.startsWith('-') ? -1 : 1;
  return (one: Row, other: Row) => sign * (compare(one[name], other[name]) || byCodePoint(one.id, other.id));
}

function byCodePoint(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
