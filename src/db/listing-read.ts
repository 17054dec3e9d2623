import { beginningOf, compileList, countOf } from './listing-statement.ts';
import {
  MAX_PAGE_TEXT,
  sievesOf,
  type Listing,
  type ListPlace,
  type Shape,
  type Matches,
} from './listing-shape.ts';
import type { Tenant } from './tenant.ts';

export type Asked = {
  /** Filters by name; undefined ones are absent. */
  filters: Readonly<Record<string, unknown>>;
  sort: string;
  after: ListPlace | undefined;
  limit: number;
  /** Ends a page before `limit` if its rows would take more than `most`; one row always fits. */
  room?: { most: number; takenBy: (row: never) => number };
};

export type Found<Row> = { rows: Row[]; next: ListPlace | undefined };

/** Rows in the order of the list that are looked through for a page: first a few, then more at once. */
export const FIRST_LOOK = 200;
const STEP = 2_500;
export const LONG_LOOK = FIRST_LOOK + STEP;
export const LONGEST_LOOK = FIRST_LOOK + 4 * STEP;

/** Reads rows of a list for one request, in one shape or another. */
export class ListReader<Row> {
  readonly list: Listing<Row>;
  readonly tenant: Tenant;
  readonly asked: Asked;
  readonly shape: Shape;
  /** The filters that the index of the sort does not support. */
  readonly sieves: readonly string[];
  readonly #seen: { count: number; rows: Placed<Row>[]; after: ListPlace | undefined };

  constructor(list: Listing<Row>, tenant: Tenant, asked: Asked) {
    this.list = list;
    this.tenant = tenant;
    this.asked = asked;
    const { filters, sort, after } = asked;
    const names = Object.keys(filters).filter((name) => filters[name] !== undefined);
    this.shape = { filters: names.toSorted(), sort, goesOn: after !== undefined };
    this.sieves = sievesOf(list, this.shape);
    this.#seen = { count: 0, rows: [], after };
  }

  /** The rows of a shape, up to one more than the page has room for. */
  rows(by: Shape['by'], more: object = {}, after = this.asked.after): Promise<Placed<Row>[]> {
    const { filters, limit } = this.asked;
    const shape = { ...this.shape, goesOn: after !== undefined, ...(by && { by }) };
    const parameters = { ...filters, ...placeParameters(after), limit: limit + 1, ...more };
    const statement = compileList(this.list, shape);
    return this.tenant.rows(statement, parameters) as Promise<Placed<Row>[]>;
  }

  /** The matches among the next `reach` rows, or enough for the page, and where these rows end if there are `reach`. */
  async step(
    by: Shape['by'],
    more: { reach: number; [parameter: string]: unknown },
    after = this.asked.after,
  ): Promise<Step<Row>> {
    const rows: (Placed<Row> & Marks)[] = await this.rows(by, more, after);
    const last = rows.at(-1);
    const end = last?.end_id ? this.placeOf({ ...last, id: last.end_id }) : undefined;
    return { rows: rows.filter(({ is_match }) => is_match), end };
  }

  /** The page of a shape. */
  async page(by?: Shape['by'], more?: object): Promise<Found<Row>> {
    return this.pageOf(await this.rows(by, more));
  }

  /** @param end where the list continues after these rows, if all of them fit on the page */
  pageOf(rows: readonly Placed<Row>[], end?: ListPlace): Found<Row> {
    const { limit } = this.asked;
    const shown = rows.slice(0, this.#countFitting(rows.slice(0, limit)));
    const next = rows.length > shown.length ? this.placeOf(shown.at(-1)!) : end;
    return { rows: shown.map(withoutPlace) as Row[], next };
  }

  #countFitting(rows: readonly Placed<Row>[]): number {
    const { room } = this.asked;
    let taken = 0;
    let text = 0;
    const over = rows.findIndex((row) => {
      taken += room?.takenBy(row as never) ?? 0;
      text += this.list.longText?.(row)?.length ?? 0;
      return taken > (room?.most ?? 0) || text > MAX_PAGE_TEXT;
    });
    return over === -1 ? rows.length : Math.max(1, over);
  }

  placeOf(row: Placed<unknown>): ListPlace {
    return this.list.sorts[this.shape.sort] ? [row.place!, row.id] : [row.id];
  }

  /**
   * Looks through the next rows in order, up to `upTo` in all calls. In steps, because PostgreSQL may estimate that a
   * long one is slower than sorting everything.
   * @returns the page, if it is full or the list ends
   */
  async look(upTo: number): Promise<Found<Row> | undefined> {
    const seen = this.#seen;
    while (seen.count < upTo) {
      const reach = seen.count === 0 ? FIRST_LOOK : STEP;
      const { rows, end } = await this.step('looking', { reach }, seen.after);
      seen.rows.push(...rows);
      if (seen.rows.length > this.asked.limit || !end) return this.pageOf(seen.rows);
      seen.after = end;
      seen.count += reach;
    }
    return undefined;
  }

  /** The matches of a filter among the next `reach` rows, found in an index alone. */
  async walk(of: string, reach: number): Promise<Found<Row>> {
    const { rows, end } = await this.step({ walking: of }, { reach });
    return this.pageOf(rows, end);
  }

  /** The matches of a filter, counted up to one more than `most`. */
  async countMatches(name: string, most: number, isShort = false): Promise<Matches> {
    const { filters } = this.asked;
    const sieve = this.list.sieves[name]!;
    if (sieve.countMatches) return sieve.countMatches(this.tenant, filters, most, isShort);
    const statement = countOf(`count ${this.list.title} ${name}`, sieve.matches);
    return (await this.tenant.row(statement, { [name]: filters[name], most: most + 1 }))!;
  }

  /** Rows that the indexes of a filter do not have in order, counted up to one more than `most`. */
  async countElsewhere(name: string, most: number): Promise<number> {
    const statement = countOf(
      `count ${this.list.title} ${name} elsewhere`,
      this.list.sieves[name]!.ordered!.elsewhere,
    );
    return (await this.tenant.row(statement, { [name]: this.asked.filters[name], most: most + 1 }))!.count;
  }

  /** The filter of `sieves` with the fewest matches; undefined without any. */
  async findRarest(most: number): Promise<(Matches & { name: string }) | undefined> {
    const counts = this.sieves.map(async (name) => ({ name, ...(await this.countMatches(name, most)) }));
    return (await Promise.all(counts)).toSorted((one, other) => one.count - other.count)[0];
  }

  /** How many rows have a sorted value that begins with the search text, counted up to one more than `most`. */
  async countBeginning(of: string, { count: most, more }: Matches): Promise<number> {
    const { filters } = this.asked;
    const statement = countOf(`begin by ${this.shape.sort} ${this.list.title}`, (p) =>
      beginningOf(this.list, { ...this.shape, by: { beginning: of } }, p),
    );
    return (await this.tenant.row(statement, { ...filters, ...more, most: most + 1 }))!.count;
  }

  /** What `look` has found so far, and where it has stopped. */
  get looked(): Found<Row> {
    return this.pageOf(this.#seen.rows, this.#seen.after);
  }
}

export type Placed<Row> = Row & { id: string | number; place?: string };

/** What a step adds to each row; the last of `reach` rows has its id as `end_id`. */
type Marks = { is_match?: boolean; end_id?: string | number | null };

export type Step<Row> = { rows: Placed<Row>[]; end: ListPlace | undefined };

function withoutPlace<Row>({ place: _place, is_match: _match, end_id: _end, ...row }: Placed<Row> & Marks) {
  return row;
}

function placeParameters(after: ListPlace | undefined): object {
  if (after === undefined) return {};
  const [id, value] = after.toReversed();
  return { after_id: id, after_value: value ?? null };
}
