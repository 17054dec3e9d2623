import { FEW_MATCHES, hasEquality, MAX_MATCHES, type Matches } from './listing-shape.ts';
import {
  FIRST_LOOK,
  LONG_LOOK,
  LONGEST_LOOK,
  ListReader,
  type Found,
  type Placed,
  type Step,
} from './listing-read.ts';

/** Matches that are checked at once, in order of id. */
const REACH = 2_500;

/** With more matches than this, those whose name begins with what is searched for are read from the index of names. */
const MANY_BEGINNING = 1_500;

/** With more matches than this, the index of the sort is read first, this far. */
const MANY_MATCHES = 2_500;
const WALK = 6_000;

/** Rows that are looked at before such a walk, because matches may all have changed at about the same time. */
const PROBE = WALK / 10;

/** A word is rare beside another if fewer than one in this many rows with the other have it. */
const SELDOM = 25;

/** How many of the matches read for a page may be stale. */
const SPARE = 100;

/**
 * Reads a page of a search. Up to `MAX_MATCHES` matches are sorted. More of them, and those of a short text, are read
 * in order of id; the place where such a page ends holds the id alone, so that the next one continues in that order.
 */
export async function readSearch<Row>(reader: ListReader<Row>, name: string): Promise<Found<Row>> {
  const { filters, after, sort, limit } = reader.asked;
  const { sieves } = reader.list;
  const isById = sort === 'id' || after?.length === 1 || (!after && sieves[name]!.isUnsorted!(filters));
  if (isById) return readById(reader, { name });
  const seen = await glance(reader, name);
  const sample = seen.isDone ? undefined : await sampleOf(reader, name, seen.matches?.listed);
  const matches = seen.isDone ? seen.matches! : await countSampled(reader, name, sample);
  if (matches.count === 0) return { rows: [], next: undefined };
  if (matches.count > MAX_MATCHES) {
    if (!after) return readById(reader, { name, seen, matches, sample });
    // The previous page was sorted, so this one is, too.
    return (await reader.look(LONGEST_LOOK)) ?? reader.looked;
  }
  const more = { ...matches.more, reach: limit + SPARE };
  if (!matches.more?.['q_other'] && !hasEquality(reader.list, reader.shape.filters)) {
    const rows = await readInOrder(reader, name, matches, more);
    if (rows.length > limit) return reader.pageOf(rows);
  }
  if (matches.areSure || sample?.isOften) {
    const rows = await reader.rows({ matchesOf: name, areSure: true }, more);
    if (rows.length > limit || (matches.areSure && matches.count <= limit)) return reader.pageOf(rows);
  }
  return reader.page({ matchesOf: name }, matches.more);
}

/** The first of many matches, from the index of the sort; none where sorting all of them is likely to be less work. */
async function readInOrder<Row>(
  reader: ListReader<Row>,
  name: string,
  matches: Matches,
  more: { reach: number },
): Promise<Placed<Row>[]> {
  const isText = reader.list.sorts[reader.asked.sort]?.type === 'text';
  if (isText && matches.count > MANY_BEGINNING) {
    const beginning = await reader.countBeginning(name, matches);
    if (2 * beginning >= matches.count) return reader.rows({ beginning: name }, more);
  }
  if (matches.count <= MANY_MATCHES || (await isInStretches(reader))) return [];
  const { rows } = await reader.step({ walking: name }, { ...more, reach: WALK });
  return rows;
}

/** Whether the next rows have none of the many matches, as with numbers that were added at one time. */
async function isInStretches(reader: ListReader<unknown>): Promise<boolean> {
  const { filters, sort } = reader.asked;
  if (!filters['q_number'] || reader.list.sorts[sort]?.type !== 'timestamptz') return false;
  return (await reader.step('looking', { reach: PROBE })).rows.length === 0;
}

type Glance = { isDone: boolean; matches?: Matches };

/** The matches of several words, as far as a short look shows them. A single word or number has no rarer word. */
async function glance(reader: ListReader<unknown>, name: string): Promise<Glance> {
  const { filters } = reader.asked;
  if (!/\s/.test(String(filters[name])) || filters['q_number']) return { isDone: false };
  const matches = await reader.countMatches(name, FEW_MATCHES);
  return { isDone: matches.count <= FEW_MATCHES || matches.more?.['q_ids'] !== undefined, matches };
}

/** The first rows of one word that have all words: few of those read, enough to fill a page, or in between. */
type Sample<Row> = { word: string; step: Step<Row>; isSeldom: boolean; isOften: boolean };

async function sampleOf<Row>(
  { list, tenant, asked }: ListReader<Row>,
  name: string,
  listed: Matches['listed'],
): Promise<Sample<Row> | undefined> {
  if (!listed) return undefined;
  const reader = new ListReader(list, tenant, { ...asked, sort: 'id', after: undefined });
  const reach = asked.limit + SPARE;
  const step = await reader.step({ among: name, isByWord: true }, { q_words: listed.words, reach });
  return {
    word: listed.word,
    step,
    isSeldom: step.rows.length * SELDOM < reach,
    isOften: step.rows.length > asked.limit,
  };
}

/** Where rows with one word often have the others, too, only that word is counted: the others exclude few rows. */
async function countSampled(
  reader: ListReader<unknown>,
  name: string,
  sample: Sample<unknown> | undefined,
): Promise<Matches> {
  if (sample?.isOften) {
    const { list, tenant } = reader;
    const matches = await list.sieves[name]!.countMatches!(tenant, { [name]: sample.word }, MAX_MATCHES);
    if (matches.count <= MAX_MATCHES) return { ...matches, areSure: false };
  }
  return reader.countMatches(name, MAX_MATCHES, sample?.isSeldom);
}

async function readById<Row>(
  { list, tenant, asked }: ListReader<Row>,
  { name, ...given }: { name: string; seen?: Glance; matches?: Matches; sample?: Sample<Row> | undefined },
): Promise<Found<Row>> {
  const { filters, limit } = asked;
  const reader = new ListReader(list, tenant, { ...asked, sort: 'id' });
  const { isOftenCommon, wordsOf } = list.sieves[name]!;
  if (isOftenCommon?.(filters)) {
    const next = await reader.look(FIRST_LOOK);
    if (next) return next;
  }
  const seen = given.seen ?? (await glance(reader, name));
  if (seen.isDone) return readAmong(reader, name, seen.matches!);
  const isAlone = !hasEquality(list, reader.shape.filters);
  const words = isAlone ? (seen.matches?.listed?.words ?? (await wordsOf!(tenant, filters))) : undefined;
  if (words?.length === 0) return { rows: [], next: undefined };
  if (words) return readByWords(reader, name, words, given.sample?.step);
  // The first rows show that the next ones will fill the page.
  if (reader.looked.rows.length * LONG_LOOK >= limit * FIRST_LOOK) {
    const next = await reader.look(LONG_LOOK);
    if (next) return next;
  }
  const matches = given.matches ?? (await reader.countMatches(name, MAX_MATCHES));
  if (matches.count === 0) return { rows: [], next: undefined };
  if (matches.count <= MAX_MATCHES) return readAmong(reader, name, matches);
  const first = await reader.look(FIRST_LOOK);
  if (first) return first;
  const { looked } = reader;
  // Where the first rows have no match, as when numbers that begin like this come later, the next ones rarely do.
  // Not for words: the entries that were counted are some of those of one word, and none of them may pass the check.
  const isNumber = Boolean(filters['q_number']) && matches.areSure && isAlone;
  if (looked.rows.length === 0 && isNumber) return readAmong(reader, name, matches, looked.next);
  return (await reader.look(LONG_LOOK)) ?? reader.looked;
}

/**
 * Reads a page from the rows of a few words: the index has those of each word in order of id.
 * @param first what the first read returns, where that is known
 */
async function readByWords<Row>(
  reader: ListReader<Row>,
  name: string,
  words: readonly string[],
  first?: Step<Row>,
): Promise<Found<Row>> {
  const { filters, after, limit } = reader.asked;
  const found: Placed<Row>[] = [];
  for (let [from, reach] = [after, limit + SPARE]; ; reach *= 4) {
    const more = { q_words: words, reach };
    const isFirst = reach === limit + SPARE;
    const known = isFirst ? first : undefined;
    const { rows, end } = known ?? (await reader.step({ among: name, isByWord: true }, more, from));
    found.push(...rows);
    if (found.length > limit || !end || reach > MAX_MATCHES) return reader.pageOf(found, end);
    // Few of the rows of one word have the others: those that have all may be in the index of rows by their words.
    if (isFirst && found.length * SELDOM < reach && /\s/.test(String(filters[name]))) {
      const matches = await reader.countMatches(name, MAX_MATCHES, true);
      if (matches.more?.['q_ids']) return readAmong(reader, name, matches);
    }
    from = end;
  }
}

/** Reads a page from the matches in order of id. */
async function readAmong<Row>(
  reader: ListReader<Row>,
  name: string,
  matches: Matches,
  after = reader.asked.after,
): Promise<Found<Row>> {
  const { limit } = reader.asked;
  const found: Placed<Row>[] = [];
  for (let [from, reach] = [after, matches.areSure ? limit + SPARE : REACH]; ; reach = REACH) {
    const more = { ...matches.more, reach };
    const { rows, end } = await reader.step({ among: name }, more, from);
    found.push(...rows);
    if (found.length > limit || !end) return reader.pageOf(found);
    from = end;
  }
}
