import type { Finding } from '../cli/findings.ts';
import { readBulkFile } from './mirror/import/bulk-file.ts';
import { downloadSources } from './mirror/import/download.ts';
import type { BulkSource } from './mirror/import/source.ts';
import type { Reading } from './national/answer.ts';
import { KNOWN_ORGNR } from './national/client.ts';
import { readFeed } from './national/feed.ts';
import type { Source } from './national/source.ts';
import { countStated, KINDS, PLURALS, type Kind, type Register, type RegisterAnswer } from './register.ts';

/** EQUINOR ASA AVD KONTOR STAVANGER. It may be dissolved one day, which is a valid answer as well. */
const KNOWN_BRANCH = '973152351';

/** Words from the name of the register itself. */
const KNOWN_NAME = 'registerenheten brønnøysund';
const MAX_FOUND = 3;

/** In the synthetic series, which begins with 3 and has no real unit. */
const UNKNOWN_ORGNR = '388444444';

/** How far back the feeds are read: every working day has entries. */
const FEED_PERIOD = Temporal.Duration.from({ hours: 4 * 24 });

/** Records read of each file. */
const SAMPLE_SIZE = 200;

const ADVICE = 'check the network, the proxy, REGISTER_URL and whether this release is the newest';

type Seen = { ok: boolean; found: string };

/** Requests one of each thing that the service needs from the national register. */
export async function checkRegister(live: Register, source: Source): Promise<Finding[]> {
  const files = downloadSources(source);
  return [
    await examine('unit', () => lookUp(live, KNOWN_ORGNR, ['found'])),
    await examine('branch', () => lookUp(live, KNOWN_BRANCH, ['found', 'dissolved'])),
    await examine('unknown number', () => lookUp(live, UNKNOWN_ORGNR, ['unknown'])),
    await examine('search by name', () => search(live)),
    ...(await Promise.all(
      KINDS.map((kind) => examine(`feed of ${kind} changes`, () => readRecent(source, kind))),
    )),
    ...(await Promise.all(
      KINDS.map((kind, index) => examine(`file of ${PLURALS[kind]}`, () => readSample(files[index]!))),
    )),
  ];
}

async function examine(check: string, look: () => Promise<Seen>): Promise<Finding> {
  const seen = await look().catch((error: Error): Seen => ({ ok: false, found: error.message }));
  return { check, ...seen, advice: ADVICE };
}

async function lookUp(
  live: Register,
  orgnr: string,
  expected: readonly RegisterAnswer['outcome'][],
): Promise<Seen> {
  const answer = await live.find(orgnr);
  const ok = expected.includes(answer.outcome);
  if (answer.outcome === 'dissolved') return { ok, found: `${orgnr} is deleted` };
  if (answer.outcome !== 'found') return { ok, found: `${orgnr} is ${answer.outcome}` };
  const { name, org_form, employees, nace_primary } = answer.unit;
  return { ok, found: `${orgnr} is ${name}, ${org_form}, ${employees} employees, industry ${nace_primary}` };
}

async function search(live: Register): Promise<Seen> {
  const units = await live.search(KNOWN_NAME, MAX_FOUND);
  const found = units.map(({ orgnr, name }) => `${orgnr} is ${name}`).join('; ');
  return { ok: units.length > 0, found: found || `nothing is named ${KNOWN_NAME}` };
}

async function readRecent(source: Source, kind: Kind): Promise<Seen> {
  const since = Temporal.Now.instant().subtract(FEED_PERIOD).toString({ fractionalSecondDigits: 3 });
  const page = await readFeed(source, kind, { last_id: null, last_at: null, since });
  const [first] = page;
  if (!first) return { ok: false, found: `no entry since ${since}` };
  return { ok: true, found: `${page.length} entries on the first page, from ${first.id} of ${first.at}` };
}

/** Reads the first records of a file and ends the download. */
async function readSample(source: BulkSource): Promise<Seen> {
  const { date, size, chunks } = await source.open(new AbortController().signal);
  const readings: Reading[] = [];
  for await (const batch of readBulkFile(chunks)) {
    readings.push(...batch);
    if (readings.length >= SAMPLE_SIZE) break;
  }
  const unreadable = readings.filter((reading) => reading.outcome === 'unreadable');
  const units = readings.flatMap((reading) => (reading.outcome === 'found' ? [reading.unit] : []));
  const stated = countStated(units);
  const counts = Object.entries(stated).map(([field, count]) => `${field} ${count}`);
  const facts = [
    `of ${date.toString()}`,
    size === undefined ? 'size unknown' : `${(size / 1e6).toFixed(1)} MB packed`,
    `${units.length} records read (stated: ${counts.join(', ')})`,
    ...(unreadable[0] ? [`${unreadable.length} cannot be read (${unreadable[0].why})`] : []),
  ];
  return { ok: stated.nace_primary > 0 && unreadable.length === 0, found: facts.join('; ') };
}
