import type { RawBuilder, SqlBool } from 'kysely';
import type { Tenant } from './tenant.ts';

// The words of `listing-*.ts`:
// - sieve: a filter that not every sort has an index for. The reader's `sieves` are those that the index of its
//   sort does not support.
// - match: an id that passes a sieve, usually from an index of the sieve's own.
// - look: check the next rows of the list, in order. walk: the same from the index of the sort alone.
// - among: read the next matches in order of id, whatever the sort, and check their rows.
// - step: one bounded statement of a look, a walk or a search; `reach` is how many rows or matches it may check.
// - elsewhere: rows that an ordered index does not have, or has in the wrong place.

export type Condition = RawBuilder<SqlBool>;

/** Filters by name, and further parameters. */
type FilterValues = Readonly<Record<string, unknown>>;
export type Parameters = FilterValues & { tenant: string };

/** A sort other than by id; `type` is the type of the column in PostgreSQL. */
export type Sort = { by: RawBuilder<unknown>; type: 'text' | 'timestamptz'; descending?: true };

/** Matches that are simply sorted; with more, it may be faster to look through the next rows of the list. */
export const FEW_MATCHES = 1_000;

/** The most matches of a filter that are sorted for a page. */
export const MAX_MATCHES = 10_000;

/**
 * The most characters in long texts of one page, as JavaScript counts them. Eight megabytes, a hundred of the longest
 * texts, have been seen to hold up all other requests for 60 ms.
 */
export const MAX_PAGE_TEXT = 500_000;

/** The count of matches; `areSure` if all but stale ones pass the check; `more` are parameters of `matches`. */
export type Matches = {
  count: number;
  areSure?: boolean;
  more?: Record<string, unknown>;
  /** A search word, and the indexed words that begin with it: each match has one of these. For `matchesByWord`. */
  listed?: { word: string; words: string[] } | undefined;
};

/** A filter that not every sort has an index for. Conditions refer to the list's table as `t`. */
export type Sieve = {
  check: (p: FilterValues) => Condition;
  /** A query of the `id`s that pass, from an index; `p` holds the filters and what `countMatches` adds. */
  matches: (p: FilterValues) => RawBuilder<unknown>;
  /** Counts the matches, up to one more than `most`. @param isShort whether short words are looked up, too */
  countMatches?: (tenant: Tenant, filters: FilterValues, most: number, isShort?: boolean) => Promise<Matches>;
  /** Whether the next rows are likely to fill a page, so that they are looked through first. */
  isOftenCommon?: (filters: FilterValues) => boolean;
  /**
   * Whether the check reads only the id of the row, so that an index is enough to look through rows. The index of
   * `matches` is then in order of id, so that a list by id is read from it.
   */
  checksId?: true;
  /**
   * `matches`: from an index for each sort, with the columns that sorts read. `elsewhere`: the `id`s of rows that these
   * indexes do not have, or have in the wrong place, with all matches among them. If those are few, they are sorted.
   */
  ordered?: {
    matches: (p: FilterValues) => RawBuilder<unknown>;
    elsewhere: (p: FilterValues) => RawBuilder<unknown>;
  };
  /**
   * For a search: whether matches are read in order of id, whatever the sort. Matches of a search are checked on the
   * row, because their index can hold outdated ones.
   */
  isUnsorted?: (filters: FilterValues) => boolean;
  /** For a search: whether a text begins with the search text, regardless of case and accents, or nearly so. */
  begins?: (text: RawBuilder<unknown>, p: FilterValues) => Condition;
  /** For a search of one word: the words that it finds; undefined if they are many, or for several words. */
  wordsOf?: (tenant: Tenant, filters: FilterValues) => Promise<string[] | undefined>;
  /** The next rows of each of these words, in order of id. */
  matchesByWord?: (p: FilterValues, after: unknown) => RawBuilder<unknown>;
  /** For a range: the sorts whose index supports it, and which end of the range it is. */
  range?: { sorts: readonly string[]; end: 'from' | 'before' };
};

/** A list, declared once; each shape in which it is read becomes a statement. */
export type Listing<Row = unknown> = {
  /** Never present; carries the type of a row. */
  readonly row?: () => Row;
  title: string;
  table: string;
  /** Columns of the table, or expressions on `t` and other tables of the workspace. */
  columns: (p: Parameters) => readonly RawBuilder<unknown>[];
  id: 'uuid' | 'bigint';
  /** The text of a row that can be long: a page ends before these are more than `MAX_PAGE_TEXT` together. */
  longText?(row: Row): string | null | undefined;
  /** Newest first. */
  descending?: true;
  /** Conditions on every row of the list, as its indexes have them. */
  always?: Condition;
  /** Besides `id`, which every list has. */
  sorts: Readonly<Record<string, Sort>>;
  /** Filters that are equality columns of the index of each sort. */
  equal: Readonly<Record<string, (value: unknown) => Condition>>;
  sieves: Readonly<Record<string, Sieve>>;
  /**
   * A filter by a flag that indexes have before the sort. Without the filter, the list is a union of one part
   * for each value, so that one index is enough for both.
   */
  split?: string;
};

/** Where a page ends: the sorted value, unless that is the id, and the id. */
export type ListPlace = readonly (string | number)[];

/** How a list is read, without the values. */
export type Shape = {
  /** Names of the filters given, sorted. */
  filters: readonly string[];
  sort: string;
  /** Whether the page follows another. */
  goesOn: boolean;
  /** How the page is found. Absent: from an index that has its rows in order. */
  by?:
    /** Among the next rows. */
    | 'looking'
    /** By sorting the matches of a filter; if they `areSure`, they are checked after that. */
    | { matchesOf: string; areSure?: true }
    /** Among the next matches in order of id. */
    | { among: string; isByWord?: true }
    /** Along the index of the sort, for frequent matches. */
    | { walking: string }
    /** The rows whose sorted value begins with the search text stand together in that index; other matches are sorted. */
    | { beginning: string }
    /** From the index that a filter has for the sort. */
    | { orderedBy: string };
};

/** Whether one of the filters is an equality, which the index of each sort has. */
export function hasEquality({ equal }: Listing, filters: readonly string[]): boolean {
  return filters.some((name) => name in equal);
}

/** Filters that the index of the sort does not support. */
export function sievesOf(list: Listing, shape: Pick<Shape, 'filters' | 'sort'>): string[] {
  return shape.filters.filter((name) => {
    const sieve = list.sieves[name];
    return sieve !== undefined && !sieve.range?.sorts.includes(shape.sort);
  });
}
