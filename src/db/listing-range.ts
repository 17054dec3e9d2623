import { sql, type RawBuilder, type SqlBool } from 'kysely';
import type { Listing, Sieve, Sort } from './listing-shape.ts';

/** The sorts that most lists have. */
export const byUpdate = {
  updated_at: { by: sql`t.updated_at`, type: 'timestamptz' },
  '-updated_at': { by: sql`t.updated_at`, type: 'timestamptz', descending: true },
} satisfies Record<string, Sort>;

/** The list with the time at which each row was last changed. */
export function withUpdate<Row>({ row: _row, ...list }: Listing<Row>): Listing<Row & { updated_at: string }> {
  return { ...list, columns: (p) => [...list.columns(p), sql.ref('updated_at')] };
}

/**
 * A filter by a range of a column that the list can be sorted by.
 * @param name of the filter
 * @param sorts those whose indexes have the column first
 */
export function rangeSieve(
  list: Pick<Listing, 'table' | 'always'>,
  name: string,
  range: {
    column: RawBuilder<unknown>;
    end: 'from' | 'before';
    sorts: readonly string[];
    /** A condition that holds for every row, so that an index that begins with its column can be used. */
    anyOf?: RawBuilder<SqlBool>;
  },
): Sieve {
  const { column, end, sorts, anyOf } = range;
  const comparison = end === 'from' ? sql`>=` : sql`<`;
  const check = (p: Readonly<Record<string, unknown>>) => sql<SqlBool>`${column} ${comparison} ${p[name]}`;
  return {
    check,
    matches: (p) => {
      const conditions = [sql`t.tenant_id = ${p['tenant']}`, list.always, anyOf, check(p)];
      const given = conditions.filter((condition) => condition !== undefined);
      return sql`select t.id from ${sql.table(list.table)} as t where ${sql.join(given, sql` and `)}`;
    },
    range: { sorts, end },
  };
}

/** The filter of every list that can be sorted by the last change. */
export function updatedSinceOf(list: Pick<Listing, 'table' | 'always'>, anyOf?: RawBuilder<SqlBool>): Sieve {
  return rangeSieve(list, 'updated_since', {
    column: sql`t.updated_at`,
    end: 'from',
    sorts: Object.keys(byUpdate),
    ...(anyOf && { anyOf }),
  });
}
