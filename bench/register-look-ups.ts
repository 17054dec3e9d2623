import { connectionSettings, Session } from '../src/db/session.ts';
import { findMirrored } from '../src/register/mirror/units.ts';

/** Milliseconds of one look-up: the median of many. */
type LookUps = {
  /** What PostgreSQL itself took to carry it out. */
  inDatabase: number;
  /** The round trip, as the service sees it. */
  roundTrip: number;
};

const LOOK_UPS = 2_000;
const WARM_UP = 200;

/**
 * Times the service's own look-up in each mirror, one look-up in each by turns, so that other load on the machine
 * affects all alike.
 * @param urls an address for each mirror, whose search path leads to it
 */
export async function timeLookUps(...urls: readonly string[]): Promise<LookUps[]> {
  const mirrors = await Promise.all(urls.map(openMirror));
  try {
    for (let turn = -WARM_UP; turn < LOOK_UPS; turn++) {
      for (const mirror of mirrors) await mirror.lookUp(turn >= 0);
    }
    return mirrors.map((mirror) => mirror.result());
  } finally {
    for (const mirror of mirrors) await mirror.end();
  }
}

async function openMirror(url: string) {
  const client = new Session(connectionSettings(url));
  await client.connect();
  const { rows } = await client.query<{ orgnr: string }>(
    'select orgnr from register_units order by random() limit $1',
    [LOOK_UPS],
  );
  await client.query(`prepare look_up (text) as ${findMirrored.text}`);
  const inDatabase: number[] = [];
  const roundTrip: number[] = [];
  return {
    async lookUp(counts: boolean) {
      const { orgnr } = rows[Math.floor(Math.random() * rows.length)]!;
      const start = performance.now();
      await client.query({ name: findMirrored.name, text: findMirrored.text, values: [orgnr] });
      const taken = performance.now() - start;
      const explained = await client.query(
        `explain (analyze, timing off, format json) execute look_up ('${orgnr}')`,
      );
      if (!counts) return;
      roundTrip.push(taken);
      inDatabase.push(explained.rows[0]['QUERY PLAN'][0]['Execution Time']);
    },
    result: () => ({ inDatabase: middle(inDatabase), roundTrip: middle(roundTrip) }),
    end: () => client.end(),
  };
}

/** The median. */
export function middle(values: readonly number[]): number {
  return values.toSorted((one, other) => one - other)[values.length >> 1]!;
}
