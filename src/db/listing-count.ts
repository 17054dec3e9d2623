import { weigh } from './listing-read.ts';
import { sievesOf } from './listing-parts.ts';
import { compileCount } from './listing-statement.ts';
import { MAX_MATCHES, type Listing } from './listing-shape.ts';
import type { Tenant } from './tenant.ts';

export type Count = {
  /** At most MAX_MATCHES; null where finding out would take too long. */
  count: number | null;
  /** Whether there are more than that. */
  has_more: boolean;
};

/**
 * Counts the rows of a list with these filters, as far as an index allows it quickly: the first rows of an equality,
 * or the matches of the rarest other filter.
 */
export async function countRows(
  list: Listing,
  tenant: Tenant,
  filters: Readonly<Record<string, unknown>>,
): Promise<Count> {
  const names = Object.keys(filters).filter((name) => filters[name] !== undefined);
  const sieves = sievesOf(list, { filters: names, sort: 'id' });
  const weights = await Promise.all(
    sieves.map(async (name) => ({
      name,
      ...(await weigh(list, tenant, name, { filters, most: MAX_MATCHES })),
    })),
  );
  const rarest = weights.toSorted((one, other) => one.count - other.count)[0];
  if (rarest && rarest.count > MAX_MATCHES) {
    return names.length === 1 ? { count: MAX_MATCHES, has_more: true } : { count: null, has_more: true };
  }
  const parameters = { ...filters, ...rarest?.more, most: MAX_MATCHES + 1, limit: MAX_MATCHES + 1 };
  const [found] = await tenant.rows(compileCount(list, names, rarest?.name), parameters);
  const count = found?.count ?? 0;
  return { count: Math.min(count, MAX_MATCHES), has_more: count > MAX_MATCHES };
}
