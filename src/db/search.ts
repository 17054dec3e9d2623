import { sql, type RawBuilder, type SqlBool } from 'kysely';
import { MAX_MATCHES, type Sieve } from './listing-shape.ts';
import { reading } from './statement.ts';

/** A table of the words of names, titles and numbers: `company_words`, `contact_words`. */
export type Words = {
  table: string;
  owner: string;
  /** Columns that words of a name have beside these. */
  more?: Readonly<Record<string, RawBuilder<unknown>>>;
};

/** A `q` without a word of three letters may match very many rows. */
const THREE_LETTERS = /[\p{L}\p{N}]{3}/u;

/** Words that begin with what is searched for, whose rows are read in order, each on its own. */
const FEW_WORDS = 20;

/** The most entries of a word that are read. */
const MAX_READ = MAX_MATCHES + 1;

/** A word in more rows than these is met with a common one in the index: that reads less than so many rows. */
const MANY_CHECKS = 2_500;
/** The most entries of each of the two that are read, and the most rows that may have both. */
const MAX_MET = 100_000;
const MAX_MEETINGS = 2_500;

/** A common table expression that adds the words of a created or restored row, which `written` returns. */
export function wordsOfNew(words: Words): RawBuilder<unknown> {
  const { columns, values } = rowOf(words, 'written');
  return sql`words as (
    insert into ${sql.table(words.table)} (${columns})
    select distinct ${values} from written, unnest(${wordsIn('written')}) as word
    on conflict do nothing)`;
}

/**
 * The same for a row whose name may have changed: `before` and `written` return it.
 * @param tenant the workspace, undefined for several: if there is one, other shards are not queried
 */
export function wordsOfChanged(words: Words, tenant: string | undefined): RawBuilder<unknown>[] {
  const inTenant = tenant === undefined ? sql`` : sql`w.tenant_id = ${tenant} and `;
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
        and ${inTenant}w.tenant_id = before.tenant_id and ${owner} = before.id${sql.join(more, sql``)}
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

/** A common table expression that removes the words of a deleted row, which `row` returns. */
export function wordsOfGone({ table, owner }: Words, tenant: string, row = 'gone'): RawBuilder<unknown> {
  return sql`words as (
    delete from ${sql.table(table)} as w using ${sql.table(row)} as r
    where w.tenant_id = ${tenant} and ${sql.ref(`w.${owner}`)} = r.id and w.word = any(${wordsIn('r')}))`;
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

/** Whether `t.search` has all words of `q` from their start, in any order, or `number`, where `q` is one. */
export function hasWords(q: unknown, number: unknown): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    ((select search_text(${q}) <> '') and t.search like all (array(
      select '% ' || word || '%' from unnest(string_to_array(search_text(${q}), ' ')) as word)))
    or t.search like '% ' || ${number}::text || '%')`;
}

/** The number that `q` may be, written with spaces and the prefix of Norway. */
export function numberIn(q: string): string | undefined {
  if (!/^[\d +]*\d[\d +]*$/.test(q)) return undefined;
  const digits = q.replaceAll(' ', '');
  // The prefix alone matches any number.
  if (digits === '+47' || digits === '0047') return undefined;
  return digits.replace(/^(?:\+47|0047)/, '').replaceAll('+', '') || digits.replaceAll('+', '');
}

type Weighed = { kind: 'word' | 'start' | 'number'; word: string; count: number };

/**
 * Finds what a person types: words of names, and numbers. The rarest word gives the rows that are checked; where
 * none is rare, what the two rarest have in common does: of both, `MAX_MATCHES` are considered, or of one that is in
 * more rows all, as long as they are no more than `MAX_MET`.
 * @param check on the row; `p` holds `q`, `q_start` and `q_number`
 */
export function searchSieve(
  { table, owner }: Words,
  check: (p: Readonly<Record<string, unknown>>) => RawBuilder<SqlBool>,
): Sieve {
  const range = (tenant: unknown, word: unknown) =>
    sql`select ${sql.ref(`w.${owner}`)} as id from ${sql.table(table)} as w
      where w.tenant_id = ${tenant} and w.word >= ${word} and w.word < ${word} || chr(1114111)`;

  const weighWords = reading(
    `weigh ${table}`,
    (p: { tenant: string; q: string; q_start: unknown; q_number: unknown; most: number }) =>
      sql<Weighed>`with words as (
          select word from (select distinct unnest(string_to_array(search_text(${p.q}), ' ')) as word) as each where word <> ''),
        sought as (
          (select 'word' as kind, word from words order by length(word) desc limit 4)
          union all select 'start', ${p.q_start} where ${p.q_start}::text is not null
          union all select 'number', ${p.q_number} where ${p.q_number}::text is not null)
        select kind, word, found.count::integer from sought,
          lateral (select count(*) from (${range(p.tenant, sql`sought.word collate "C"`)} limit ${p.most}::integer) as rows) as found
        order by found.count, length(word) desc`,
  );

  /** The rows that have both words; nothing where these are too many, or one of the words is in too many. */
  const meetWords = reading(`meet ${table}`, (p: { tenant: string; word: string; other: string }) => {
    const entries = (word: unknown) =>
      sql`(${range(p.tenant, sql`${word}::text collate "C"`)} limit ${sql.lit(MAX_MET + 1)})`;
    return sql<{ ids: string[] }>`with read as materialized ${entries(p.word)},
        one as (select distinct id from read)
      select coalesce(array_agg(distinct other.id) filter (where one.id is not null), '{}') as ids
      from ${entries(p.other)} as other left join one on one.id = other.id
      having count(*) <= ${sql.lit(MAX_MET)} and count(one.id) <= ${sql.lit(MAX_MEETINGS)}
        and (select count(*) from read) <= ${sql.lit(MAX_MET)}`;
  });

  /** Each word is found from the one before it: the entries between them are not read. */
  const listWords = reading(
    `list ${table}`,
    (p: { tenant: string; q: string; q_start: unknown; q_number: unknown }) => {
      const first = sql`(select word from sought)`;
      const next = (after: RawBuilder<unknown>) => sql`(
        select w.word from ${sql.table(table)} as w
        where w.tenant_id = ${p.tenant} and ${after} and w.word < ${first} || chr(1114111) order by w.word limit 1)`;
      return sql<{ words: string[] | null }>`with recursive sought as materialized (
          select search_text(${p.q}) collate "C" as word),
        words as (
          select 1 as n, ${next(sql`w.word >= ${first}`)} as word
          union all
          select n + 1, ${next(sql`w.word > words.word`)} from words where words.word is not null and n <= ${sql.lit(FEW_WORDS)})
        select case when count(words.word) <= ${sql.lit(FEW_WORDS)} then array_remove(array_agg(words.word), null) end as words
        from words, sought
        where sought.word <> '' and sought.word not like '% %'
          and sought.word = coalesce(${p.q_start}::text, sought.word) collate "C"
          and sought.word = coalesce(${p.q_number}::text, sought.word) collate "C"`;
    },
  );

  return {
    check,
    async wordsOf(tenant, { q, q_start = null, q_number = null }) {
      const [found] = await tenant.rows(listWords, { q: String(q), q_start, q_number });
      return found?.words ?? undefined;
    },
    matchesByWord: (
      p,
      after,
    ) => sql`select found.id from unnest(${p['q_words']}::text[]) as each (word), lateral (
      select ${sql.ref(`w.${owner}`)} as id from ${sql.table(table)} as w
      where w.tenant_id = ${p['tenant']} and w.word = each.word collate "C"
        ${after === undefined ? sql`` : sql`and ${sql.ref(`w.${owner}`)} > ${after}::uuid`}
      order by ${sql.ref(`w.${owner}`)} limit ${p['reach']}::integer) as found`,
    isStale: true,
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
    async weigh(tenant, filters, most) {
      const { q_start = null, q_number = null } = filters;
      const q = String(filters['q']);
      const found = await tenant.rows(weighWords, { q, q_start, q_number, most: most + 1 });
      const words = found.filter(({ kind }) => kind === 'word');
      const [rarest, other] = words;
      const others = found.filter(({ kind }) => kind !== 'word');
      const count = others.reduce((sum, each) => sum + each.count, 0);
      if (rarest === undefined || others.some(({ word }) => word === rarest.word))
        return { count, areSure: true };
      const isWhole = most === MAX_MATCHES;
      // What begins with one or two letters is too much to be read.
      if (isWhole && other && other.count > most && other.word.length > 2 && rarest.count > MANY_CHECKS) {
        const [met] = await tenant.rows(meetWords, { word: rarest.word, other: other.word });
        if (met) {
          return {
            count: count + met.ids.length,
            areSure: words.length === 2,
            more: { q_ids: met.ids },
          };
        }
      }
      const q_other = isWhole && other && other.count <= most ? other.word : null;
      return {
        count: count + rarest.count,
        areSure: other === undefined || rarest.count === 0,
        more: { q_word: rarest.word, q_other },
      };
    },
  };
}
