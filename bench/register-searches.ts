import { connectionSettings, Session } from '../src/db/session.ts';
import { valuesOf } from '../src/db/statement.ts';
import { findByWord } from '../src/register/mirror/search.ts';

export type Search = {
  q: string;
  /** Milliseconds that PostgreSQL took, planning included. */
  inDatabase: number;
};

const LETTERS = 'abcdefghijklmnopqrstuvwxyzæøå'.split('');
const LIMIT = 20;
const WARM_UP = 1;
const ROUNDS = 2;

/** Times the search for every start of two letters: the better time of two. Gives the slowest search first. */
export async function timeSearches(url: string): Promise<Search[]> {
  const client = new Session(connectionSettings(url));
  await client.connect();
  const starts = LETTERS.flatMap((one) => LETTERS.map((other) => one + other));
  const times = new Map<string, number>();
  try {
    for (let round = -WARM_UP; round < ROUNDS; round++) {
      for (const q of starts) {
        const taken = await timeSearch(client, q);
        if (round >= 0) times.set(q, Math.min(taken, times.get(q) ?? Infinity));
      }
    }
  } finally {
    await client.end();
  }
  return [...times]
    .map(([q, inDatabase]) => ({ q, inDatabase }))
    .toSorted((one, other) => other.inDatabase - one.inDatabase);
}

async function timeSearch(client: Session, q: string): Promise<number> {
  const parameters = { start: q, tail: `'${q}':*`, patterns: [`% ${q}%`], read: LIMIT, limit: LIMIT };
  const { rows } = await client.query(
    `explain (analyze, timing off, format json) ${findByWord.text}`,
    valuesOf(findByWord, parameters),
  );
  const [plan] = rows[0]['QUERY PLAN'];
  return plan['Planning Time'] + plan['Execution Time'];
}
