import { BulkFileFault, readBulkFile } from './mirror/import/bulk-file.ts';
import { downloadSources } from './mirror/import/download.ts';
import { ImportRefused } from './mirror/import/refused.ts';
import type { BulkSource } from './mirror/import/source.ts';
import { KNOWN_ORGNR, type NationalRegister } from './national/client.ts';
import { readFeed, type Source } from './national/feed.ts';
import {
  KINDS,
  NOT_STATED,
  OPTIONAL_FIELDS,
  RegisterUnavailable,
  type Kind,
  type RegisterAnswer,
  type Unit,
} from './register.ts';
import type { Finding } from '../cli/findings.ts';

/** EQUINOR ASA AVD KONTOR STAVANGER. Should it be dissolved one day, that is an answer too. */
const KNOWN_BRANCH = '973152351';

/** Of the synthetic 3-series, which no real unit can have. */
const UNKNOWN_ORGNR = '388444444';

/** A feed has entries on every working day: days looked back. */
const FEED_DAYS = 4;

/** Records read from the head of each file. */
const HEAD = 200;

/** Asks the national register for one of each thing the service will ask it for. */
export async function checkRegister(live: NationalRegister, source: Source): Promise<Finding[]> {
  const [units, branches] = downloadSources(source) as [BulkSource, BulkSource];
  return [
    await finding('unit', () => lookUp(live, KNOWN_ORGNR, ['found'])),
    await finding('branch', () => lookUp(live, KNOWN_BRANCH, ['found', 'deleted'])),
    await finding('unknown number', () => lookUp(live, UNKNOWN_ORGNR, ['unknown'])),
    ...(await Promise.all(KINDS.map((kind) => finding(`feed of ${kind} changes`, () => feed(source, kind))))),
    await finding('file of units', () => head(units)),
    await finding('file of branches', () => head(branches)),
  ];
}

type Seen = { ok: boolean; found: string };

/** What keeps the register from answering is what was seen. */
async function finding(check: string, look: () => Promise<Seen>): Promise<Finding> {
  const advice = 'check the network, the proxy, REGISTER_URL and whether this release is the newest';
  try {
    return { check, ...(await look()), advice };
  } catch (error) {
    const expected = [RegisterUnavailable, ImportRefused, BulkFileFault].some(
      (kind) => error instanceof kind,
    );
    if (!expected) throw error;
    return { check, ok: false, found: (error as Error).message, advice };
  }
}

async function lookUp(
  live: NationalRegister,
  orgnr: string,
  expected: readonly RegisterAnswer['outcome'][],
): Promise<Seen> {
  const answer = await live.find(orgnr);
  const ok = expected.includes(answer.outcome);
  if (answer.outcome !== 'found') return { ok, found: `${orgnr} is ${answer.outcome}` };
  const { name, org_form, employees, nace_primary } = answer.unit;
  return { ok, found: `${orgnr} is ${name}, ${org_form}, ${employees} employees, industry ${nace_primary}` };
}

async function feed(source: Source, kind: Kind): Promise<Seen> {
  const since = new Date(Date.now() - FEED_DAYS * 24 * 3_600_000).toISOString();
  const page = await readFeed(source, kind, { last_id: null, last_at: null, since });
  const [first] = page;
  if (!first) return { ok: false, found: `no entry since ${since}` };
  return { ok: true, found: `${page.length} entries on the first page, from ${first.id} of ${first.at}` };
}

/** Reads the first records of a file and breaks off. */
async function head(source: BulkSource): Promise<Seen> {
  const { asOf, size, chunks } = await source.open(new AbortController().signal);
  const units: Unit[] = [];
  let unreadable = 0;
  let why: string | undefined;
  for await (const batch of readBulkFile(chunks)) {
    units.push(...batch.units);
    unreadable += batch.unreadable;
    why ??= batch.why;
    if (units.length + unreadable >= HEAD) break;
  }
  const stated = OPTIONAL_FIELDS.map((field) => {
    const count = units.filter((unit) => unit[field] !== NOT_STATED[field]).length;
    return `${field} ${count}`;
  });
  const facts = [
    `of ${asOf.toISOString()}`,
    size === undefined ? 'size not told' : `${(size / 1e6).toFixed(1)} MB packed`,
    `${units.length} records read, of which state ${stated.join(', ')}`,
    ...(unreadable > 0 ? [`${unreadable} cannot be read (${why})`] : []),
  ];
  const hasIndustry = units.some((unit) => unit.nace_primary !== NOT_STATED.nace_primary);
  return { ok: hasIndustry && unreadable === 0, found: facts.join('; ') };
}
