import { sql, type RawBuilder } from 'kysely';
import type { Queryable } from '../../db/connect.ts';
import { statement } from '../../db/statement.ts';
import { KINDS, type Unit } from '../register.ts';
import { digitsOf, wordsOf } from '../search-text.ts';
import { findUnits } from './units.ts';

/** In a name, each place before this one has indexes of its own; the words from this place on share one. */
const SHARED_PLACE = 7;

/** The most names that are read for each place and kind, to find those that have the other words as well. */
const MAX_READ = 5_000;

/** The most words that are tried, the longest first: it is usually the rarest. */
const MAX_WORDS = 3;

/**
 * Finds active units in the mirror: by the start of the number, then by the start of the name, then by words in any
 * order. Never reads more than the first names that a word has at each place, so that a search for words that are
 * all common is bounded too.
 */
export async function searchMirror(db: Queryable, q: string, limit: number): Promise<Unit[]> {
  const found = new Set<string>();
  const digits = digitsOf(q);
  if (digits !== undefined) {
    for (const { orgnr } of await db.rows(findByDigits, { digits, limit })) found.add(orgnr);
  }
  const words = wordsOf(q);
  const patterns = words.map((word) => `% ${word}%`);

  async function addNames(start: string, read: number): Promise<{ isCut: boolean }> {
    const tail = start.includes(' ') ? null : `'${start}':*`;
    const row = (await db.row(findByWord, { start, tail, patterns, read, limit }))!;
    for (const orgnr of row.orgnrs) found.add(orgnr);
    return { isCut: row.is_cut };
  }

  if (words.length > 0 && found.size < limit) await addNames(words.join(' '), limit);
  if (words.length > 1) {
    const longest = words.toSorted((one, other) => other.length - one.length).slice(0, MAX_WORDS);
    for (const word of longest) {
      if (found.size >= limit) break;
      const { isCut } = await addNames(word, MAX_READ);
      if (!isCut) break;
    }
  }
  const orgnrs = [...found].slice(0, limit);
  const units = await db.rows(findUnits, { orgnrs });
  // A unit that was removed meanwhile is left out.
  return orgnrs.flatMap((orgnr) => units.find((unit) => unit.orgnr === orgnr) ?? []);
}

const findByDigits = statement(
  'find units by digits',
  (p: { digits: string; limit: number }) => sql<{ orgnr: string }>`
    select orgnr from register_units
    where orgnr between rpad(${p.digits}, 9, '0') and rpad(${p.digits}, 9, '9') and deleted_on is null
    order by orgnr limit ${p.limit}`,
);

type Matches = {
  /** The best first. */
  orgnrs: string[];
  /** Whether names were left out unread. */
  is_cut: boolean;
};

/**
 * Units whose name, or a word of it, begins with `start`, and whose name fits all patterns.
 * @param p.tail the same start for the words that share an index, as a tsquery
 */
export const findByWord = statement(
  'find units by word',
  (p: {
    start: string;
    tail: string | null;
    patterns: string[];
    read: number;
    limit: number;
  }) => sql<Matches>`
    with candidates as (${sql.join(placesOf(p), sql` union all `)})
    select array(
        select orgnr from (
          select distinct on (orgnr) * from candidates
          where ' ' || search like all (${p.patterns}::text[])
          order by orgnr, place) as fitting
        order by is_branch, place, search, orgnr limit ${p.limit}) as orgnrs,
      exists (select from candidates group by is_branch, place having count(*) >= ${p.read}) as is_cut`,
);

/** Reads the same number of names from each index, in the order of the index. */
function placesOf(p: { start: string; tail: string | null; read: number }): RawBuilder<unknown>[] {
  const own = KINDS.flatMap((kind) => {
    // Written as in the conditions of the indexes.
    const isKind = kind === 'branch' ? sql`is_branch` : sql`not is_branch`;
    return Array.from({ length: SHARED_PLACE - 1 }, (_, index) => {
      const place = index + 1;
      const word = place === 1 ? sql`search` : wordAt(place);
      return sql`(select ${sql.lit(place)} as place, orgnr, ${sql.lit(kind === 'branch')} as is_branch, search from register_units
        where ${isKind} and deleted_on is null and ${word} <> '' and ${word} >= ${p.start} and ${word} < ${p.start} || chr(1114111)
        order by ${place === 1 ? word : sql`${word}, search`} limit ${p.read})`;
    });
  });
  const shared = sql`(select ${sql.lit(SHARED_PLACE)}, orgnr, is_branch, search from register_units
    where deleted_on is null and ${wordAt(SHARED_PLACE)} <> ''
      and array_to_tsvector((string_to_array(search, ' '))[${sql.lit(SHARED_PLACE)}:]) @@ ${p.tail}::tsquery
    order by search limit ${p.read})`;
  return [...own, shared];
}

function wordAt(place: number): RawBuilder<unknown> {
  return sql`split_part(search, ' ', ${sql.lit(place)})`;
}
