import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { FEW_MATCHES, MAX_MATCHES, type Sieve } from './listing-shape.ts';
import { reading, statement } from './statement.ts';
import type { Tenant } from './tenant.ts';

/** A table of the words of names, titles and numbers: `company_words`, `contact_words`. */
export type Words = {
  table: string;
  owner: string;
  /** The table of the rows, if it has an index of rows by their words. */
  rows?: string;
  /** The table of addresses, if it has an index of the first word of each; `are` tells those rows from the others. */
  addresses?: { table: string; first: RawBuilder<unknown>; are: RawBuilder<unknown> };
  /** Further columns of the words of a name, with their values. */
  more?: Readonly<Record<string, RawBuilder<unknown>>>;
};

/** A `q` without a word of three letters may match very many rows. */
const THREE_LETTERS = /[\p{L}\p{N}]{3}/u;

/** The most words and groups of addresses that are read to find those that begin with the text searched for. */
const MAX_LISTED = 40;

/** The most entries of a word that are read. */
const MAX_READ = MAX_MATCHES + 1;

/** The most rows that are found by several words together. */
const MAX_COMMON = 2_500;

/** A common table expression that adds the words of a created or restored row, which `written` returns. */
export function wordsOfNew(words: Words): RawBuilder<unknown> {
  const { columns, values } = rowOf(words, 'written');
  return sql`words as (
    insert into ${sql.table(words.table)} (${columns})
    select distinct ${values} from written, unnest(${wordsIn('written')}) as word
    on conflict do nothing)`;
}

/** Replaces the words of rows whose names may have changed: `before` and `written` return them. */
export function wordsOfChanged(words: Words, tenant: string): RawBuilder<unknown>[] {
  const { columns, values } = rowOf(words, 'written');
  const table = sql.table(words.table);
  const owner = sql.ref(`w.${words.owner}`);
  const more = Object.entries(words.more ?? {}).map(
    ([column, value]) => sql` and ${sql.ref(`w.${column}`)} = ${value}`,
  );
  return [
    sql`gone_words as (
      delete from ${table} as w using before, written
      where written.tenant_id = before.tenant_id and written.id = before.id
        and before.search <> written.search
        and w.tenant_id = ${tenant} and w.tenant_id = before.tenant_id and ${owner} = before.id${sql.join(more, sql``)}
        and w.word = any(${wordsIn('before')}) and not w.word = any(${wordsIn('written')}))`,
    sql`new_words as (
      insert into ${table} (${columns})
      select distinct ${values}
      from before, written, unnest(${wordsIn('written')}) as word
      where before.tenant_id = written.tenant_id and before.id = written.id
        and before.search <> written.search and not word = any(${wordsIn('before')})
      on conflict do nothing)`,
  ];
}

/** A common table expression that removes the words of a deleted row, which `gone` returns. */
export function wordsOfGone({ table, owner }: Words, tenant: string): RawBuilder<unknown> {
  return sql`words as (
    delete from ${sql.table(table)} as w using gone
    where w.tenant_id = ${tenant} and ${sql.ref(`w.${owner}`)} = gone.id and w.word = any(${wordsIn('gone')}))`;
}

/** Columns of a word, and their values from a row. */
function rowOf({ owner, more = {} }: Words, row: string) {
  const columns = ['tenant_id', owner, ...Object.keys(more), 'word'].map((column) => sql.ref(column));
  const ids = ['tenant_id', 'id'].map((column) => sql.ref(`${row}.${column}`));
  return {
    columns: sql.join(columns),
    values: sql.join([...ids, ...Object.values(more), sql.ref('word')]),
  };
}

function wordsIn(row: string): RawBuilder<unknown> {
  return sql`array_remove(string_to_array(btrim(${sql.ref(`${row}.search`)}), ' '), '')`;
}

/** Whether `t.search` has all words of `q`, whole or their beginnings, in any order, or `number`, where `q` is one. */
export function hasWords(q: unknown, number: unknown): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    ((select search_text(${q}) <> '') and t.search like all (array(
      select '% ' || word || '%' from unnest(string_to_array(search_text(${q}), ' ')) as word)))
    or t.search like '% ' || ${number}::text || '%')`;
}

/** The number that `q` may be, written with spaces or punctuation of any kind and the prefix of Norway. */
export function numberIn(q: string): string | undefined {
  // With @ it is the start of an address.
  if (/[\p{L}@]/u.test(q) || !/\d/.test(q)) return undefined;
  const digits = q.replaceAll(/[^\d+]/g, '');
  // The prefix alone matches any number.
  if (digits === '+47' || digits === '0047') return undefined;
  return digits.replace(/^(?:\+47|0047)/, '').replaceAll('+', '') || digits.replaceAll('+', '');
}

/**
 * A word, a number or the start of an address, or both a word and one of these. For a word in many rows, `words` are
 * those that begin with it, unless too many do; `total` counts the words of `q`.
 */
type CountedWord = {
  word: string;
  is_word: boolean;
  is_other: boolean;
  count: number;
  words: string[] | null;
  total: number;
};

/**
 * Finds what a person types: words of names, and numbers. The rarest word gives the rows that are checked; where none
 * is rare, the index of rows by their words gives those that have all of them, if these are no more than
 * `MAX_COMMON`. Words of one or two letters are included only beside a word whose rows can all be read.
 * @param check on the row; `p` holds `q`, `q_start` and `q_number`
 */
export function searchSieve(
  { table, owner, rows, addresses }: Words,
  check: (p: Readonly<Record<string, unknown>>) => RawBuilder<SqlBool>,
): Sieve {
  const range = (tenant: unknown, word: unknown) =>
    sql`select ${sql.ref(`w.${owner}`)} as id from ${sql.table(table)} as w
      where w.tenant_id = ${tenant} and w.word >= ${word} and w.word < ${word} || chr(1114111)`;

  const count = (tenant: unknown, word: RawBuilder<unknown>, most: RawBuilder<unknown>) =>
    sql`(select count(*) from (${range(tenant, word)} limit ${most}) as rows)`;

  /** Where words are found in an index, each with the id of its row. */
  function places(tenant: unknown) {
    const names = { from: sql`${sql.table(table)} as w where w.tenant_id = ${tenant}`, word: sql`w.word` };
    if (!addresses) return [names];
    const from = sql`${sql.table(addresses.table)} as w where w.tenant_id = ${tenant} and ${addresses.are}`;
    return [names, { from, word: addresses.first }];
  }

  /**
   * The words that begin with `start`, null for too many. Each is found from the one before it: the entries between
   * them are not read, and addresses that begin alike are skipped together.
   * @param ofNames without the first words of addresses
   */
  function listing(tenant: unknown, start: RawBuilder<unknown>, ofNames = false): RawBuilder<unknown> {
    const next = (least: RawBuilder<unknown>) => {
      const found = places(tenant)
        .slice(0, ofNames ? 1 : undefined)
        .map(
          ({ from, word }) => sql`(
            select ${word} as word from ${from} and ${word} >= ${least} and ${word} < ${start} || chr(1114111)
            order by ${word} limit 1)`,
        );
      return sql`(select min(word) from (${sql.join(found, sql` union all `)}) as found)`;
    };
    const alike = sql`substring(words.word collate "nb-NO-x-icu" from '^[[:alnum:]]*[^[:alnum:]]')`;
    const after = sql`coalesce(left(${alike}, -1) || chr(ascii(right(${alike}, 1)) + 1), words.word || chr(1)) collate "C"`;
    return sql`(with recursive words as (
        select 1 as n, ${next(start)} as word
        union all
        select n + 1, ${next(after)} from words where words.word is not null and n <= ${sql.lit(MAX_LISTED)})
      select coalesce(array_agg(word) filter (where word is not null and ${alike} is null), '{}')
      from words having bool_or(word is null))`;
  }

  const countWords = reading(
    `count ${table}`,
    (p: {
      tenant: string;
      q: string;
      q_start: unknown;
      q_number: unknown;
      most: number;
      is_short: boolean;
    }) =>
      sql<CountedWord>`with words as (
          select word from (select distinct unnest(string_to_array(search_text(${p.q}), ' ')) as word) as each where word <> ''),
        each as (
          (select true as is_word, false as is_other, word collate "C" as word from words order by length(word) desc limit 4)
          union all select false, true, other from unnest(array[${p.q_start}::text, ${p.q_number}::text]) as other
          where other is not null),
        sought as (
          select word, bool_or(is_word) as is_word, bool_or(is_other) as is_other from each group by word),
        few as materialized (
          select word, ${count(p.tenant, sql`sought.word`, sql.lit(FEW_MATCHES + 1))} as count
          from sought where is_word and (select count(*) from words) > 1),
        counted as materialized (
          select word, is_word, is_other, coalesce(
            case when not is_other and least(
                ${p.most}::integer - 1, (select min(count) from few)) <= ${sql.lit(FEW_MATCHES)} then few.count end,
            ${count(p.tenant, sql`sought.word`, sql`${p.most}::integer`)}) as count
          from sought left join few using (word))
        select word, is_word, is_other, count::integer, total,
          case when total > 1 and not bool_or(is_other) over () and min(count) over () > ${sql.lit(FEW_MATCHES)}
              and (length(word) > 2 or ${p.is_short}::boolean and min(count) over () < ${p.most}::integer)
            then ${listing(p.tenant, sql`counted.word`, true)} end as words
        from counted, (select count(*)::integer as total from words) as totals
        order by count, length(word) desc`,
  );

  const listWords = reading(
    `list ${table}`,
    (p: { tenant: string; q: string; q_start: unknown; q_number: unknown }) =>
      sql<{ words: string[] | null }>`with sought as materialized (
          select search_text(${p.q}) collate "C" as word)
        select ${listing(p.tenant, sql`sought.word`)} as words from sought
        where word <> '' and word not like '% %'
          and word = coalesce(${p.q_start}::text, word) collate "C"
          and word = coalesce(${p.q_number}::text, word) collate "C"`,
  );

  /** The rows that have a word of each list, up to one more than `MAX_COMMON`. */
  const findCommon =
    rows &&
    statement(
      `find by ${table}`,
      (p: { tenant: string; words: string }) =>
        sql<{ id: string }>`select t.id from ${sql.table(rows)} as t
        where t.tenant_id = ${p.tenant} and search_words(t.tenant_id, t.search) @@ ${p.words}::tsquery
        limit ${sql.lit(MAX_COMMON + 1)}`,
    );

  /** The rows that have several words; undefined for too many, or without the index of rows. */
  async function listCommon(
    tenant: Tenant,
    each: readonly (readonly string[])[],
  ): Promise<string[] | undefined> {
    if (!findCommon) return undefined;
    // No word begins with a blank, so this finds nothing.
    const anyOf = (words: readonly string[]) =>
      (words.length > 0 ? words : [' ']).map((word) => `'${tenant.id}${word}'`).join('|');
    const words = each.map((one) => `(${anyOf(one)})`).join('&');
    const common = await tenant.rows(findCommon, { words });
    return common.length > MAX_COMMON ? undefined : common.map(({ id }) => id);
  }

  return {
    check,
    async wordsOf(tenant, { q, q_start = null, q_number = null }) {
      const [found] = await tenant.rows(listWords, { q: String(q), q_start, q_number });
      return found?.words ?? undefined;
    },
    matchesByWord(p, after) {
      const id = sql.ref(`w.${owner}`);
      const goesOn = after === undefined ? sql`` : sql`and ${id} > ${after}::uuid`;
      const found = places(p['tenant']).map(
        ({ from, word }) => sql`(
          select distinct ${id} as id from ${from} and ${word} = each.word collate "C" ${goesOn}
          order by ${id} limit ${p['reach']}::integer)`,
      );
      return sql`select found.id from unnest(${p['q_words']}::text[]) as each (word), lateral (
        ${sql.join(found, sql` union all `)}) as found`;
    },
    isUnsorted: ({ q }) => String(q).trim().length < 3,
    begins: (text, p) => {
      const word = sql`coalesce(${p['q_word']}::text, ${p['q_start']}::text)`;
      // U+FFFF comes after every other character in each collation of ICU.
      return sql<SqlBool>`${text} >= ${word} and ${text} < ${word} || chr(65535)`;
    },
    isOftenCommon: ({ q }) => !THREE_LETTERS.test(String(q)),
    matches(p) {
      const some = (name: string) =>
        sql`(${range(p['tenant'], sql`${p[name]}::text collate "C"`)}
          order by w.word, ${sql.ref(`w.${owner}`)} limit ${sql.lit(MAX_READ)})`;
      return sql`select * from ${some('q_word')} as found
        where ${p['q_other']}::text is null or id in ${some('q_other')}
        union all select unnest(${p['q_ids']}::uuid[])
        union all ${some('q_start')} union all ${some('q_number')}`;
    },
    async countMatches(tenant, filters, most, is_short = false) {
      const { q_start = null, q_number = null } = filters;
      const q = String(filters['q']);
      const found = await tenant.rows(countWords, { q, q_start, q_number, most: most + 1, is_short });
      const words = found.filter((one) => one.is_word);
      const [rarest, other] = words;
      const others = found.filter((one) => one.is_other);
      const count = others.reduce((sum, one) => sum + one.count, 0);
      if (rarest === undefined || rarest.is_other) return { count, areSure: true };
      const listed = words.flatMap(({ word, words: begin }) => (begin ? [{ word, words: begin }] : []));
      const lists = listed.map((one) => one.words);
      const ids = lists.length > 1 ? await listCommon(tenant, lists) : undefined;
      if (ids) return { count: ids.length, areSure: listed.length === rarest.total, more: { q_ids: ids } };
      // Beside a rare word, the others are not counted to the end.
      const isMany = most === MAX_MATCHES && rarest.count > FEW_MATCHES;
      const q_other = isMany && other && other.count <= most ? other.word : null;
      return {
        count: count + rarest.count,
        areSure: other === undefined || rarest.count === 0,
        more: { q_word: rarest.word, q_other },
        listed: listed[0],
      };
    },
  };
}
