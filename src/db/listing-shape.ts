import type { RawBuilder, SqlBool } from 'kysely';
import type { Tenant } from './tenant.ts';

export type Condition = RawBuilder<SqlBool>;

/** Filters by name, and what is known beside them. */
type Given = Readonly<Record<string, unknown>>;
export type Parameters = Given & { tenant: string };

/** What a list is sorted by beside its id; `type` is that of the column in PostgreSQL. */
export type Sort = { by: RawBuilder<unknown>; type: 'text' | 'timestamptz'; descending?: true };

/** Matches of a filter that are sorted for a page at most. */
export const MAX_MATCHES = 10_000;

/** Matches of a filter at most; `areSure` when all but stale ones pass the check; `more` is for `matches`. */
export type Weight = { count: number; areSure?: boolean; more?: Record<string, unknown> };

/** A filter that no index has in the order of every sort. Conditions read the list's table as `t`. */
export type Sieve = {
  check: (p: Given) => Condition;
  /** A query of the `id`s that pass, from an index; `p` holds the filters and what `weigh` adds. */
  matches: (p: Given) => RawBuilder<unknown>;
  /** Counts the matches, up to one more than `most`. */
  weigh?: (tenant: Tenant, filters: Given, most: number) => Promise<Weight>;
  /** Whether a page is likely to be found among the next rows, so that these are looked through first. */
  isOftenCommon?: (filters: Given) => boolean;
  /** Whether `matches` are in order of id in their index, so that a list by id is read from there. */
  isById?: true;
  /** Whether matches have to be checked on the row: the index they are from can hold what is gone. */
  isStale?: true;
  /** Whether the check reads nothing of the row but its id, so that rows are looked through in an index alone. */
  checksId?: true;
  /** Of a search: whether the sort is left aside, and matches are read in order of id. */
  isUnsorted?: (filters: Given) => boolean;
  /** Of a search: whether a text begins with what is searched for, however letters are written, or nearly. */
  begins?: (text: RawBuilder<unknown>, p: Given) => Condition;
  /** Of a search: the words that it finds, where they are few; undefined where they are not, or it is not of one word. */
  wordsOf?: (tenant: Tenant, filters: Given) => Promise<string[] | undefined>;
  /** The next rows of each of these words, in order of id. */
  matchesByWord?: (p: Given, after: unknown) => RawBuilder<unknown>;
  /** Of a range: the sorts whose index has it, and which end of the range it is. */
  range?: { sorts: readonly string[]; end: 'from' | 'before' };
};

/** One list, declared once; what is asked of it becomes a statement for each shape. */
export type Listing<Row = unknown> = {
  /** Never present; carries the type of a row. */
  readonly row?: () => Row;
  title: string;
  table: string;
  columns: readonly RawBuilder<unknown>[];
  /** More columns, which are read from other tables of the workspace. */
  columnsBeside?: (p: Given) => readonly RawBuilder<unknown>[];
  id: 'uuid' | 'bigint';
  /** The newest first. */
  descending?: true;
  /** Conditions on every row of the list, as its indexes have them. */
  always?: Condition;
  /** Beside `id`, which every list has. */
  sorts: Readonly<Record<string, Sort>>;
  /** Filters that an index has as an equality with each sort. */
  equal: Readonly<Record<string, (value: unknown) => Condition>>;
  sieves: Readonly<Record<string, Sieve>>;
  /**
   * A filter of few values that indexes hold before the sort. Where it is not given, the list is put together
   * from one part for each value, so that one index does for both.
   */
  split?: { filter: string; values: readonly unknown[] };
};

/** Where a page ends: the value sorted by, where that is not the id, and the id. */
export type Place = readonly (string | number)[];

/** What is asked of a list apart from values. */
export type Shape = {
  /** Names of the filters given, sorted. */
  filters: readonly string[];
  sort: string;
  /** Whether the page follows another. */
  goesOn: boolean;
  /**
   * How the page is found: from an index that has it as asked; `looking` through the next rows, or the place
   * where that `end`s; by sorting the matches of a filter, unchecked until sorted where all but a few `areSure`;
   * `among` the next matches in order of id, those of each word read in that order, or the place where that ends; or by `walking` along the index of the
   * sort alone, where a match is likely to come soon; or from those rows of that index whose value is the
   * `beginning` of what is searched for, and the matches that are not among these, sorted.
   */
  by?:
    | 'looking'
    | 'end'
    | { matchesOf: string; areSure?: true }
    | { among: string; isByWord?: true }
    | { endAmong: string; isByWord?: true }
    | { walking: string }
    | { beginning: string };
};
