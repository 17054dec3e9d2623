import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { pino } from 'pino';
import { companyList } from '../src/companies/list.ts';
import { findCompany } from '../src/companies/store.ts';
import { noteList, timelineList } from '../src/companies/timeline-list.ts';
import { contactList } from '../src/contacts/list.ts';
import { connect } from '../src/db/connect.ts';
import { startEmbeddedPostgres } from '../src/db/embedded.ts';
import { readPage } from '../src/db/listing.ts';
import type { Listing, Place } from '../src/db/listing-statement.ts';
import { migrate } from '../src/db/migrate.ts';
import { numberIn } from '../src/db/search.ts';
import { tenantOfCommand, type Tenant } from '../src/db/tenant.ts';
import { offerList } from '../src/offers/list.ts';
import { taskList } from '../src/tasks/list.ts';
import { COMPANY, seedLists, USER } from './lists-seed.ts';
import { compareWrites } from './lists-writes.ts';
import { table } from './report.ts';

/** Measures pages of lists in a large workspace against those of a thousand rows, in one process with its database. */
const { values: options } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '15' },
    only: { type: 'string', default: '' },
  },
});
const scale = Number(options.scale);
const rounds = Number(options.rounds);
const only = new RegExp(options.only);
const LIMIT = 25;
/** Rows before the thousandth page. */
const DEEP = 999 * LIMIT;
const MOST_SLOWER = 2;
const MOST_SLOWER_SEARCH = 20;

type Filters = Record<string, unknown>;

const LISTS: { list: Listing; filters: Filters[] }[] = [
  {
    list: companyList,
    filters: [{}, { status: 'customer' }, { assigned_to: USER }, { unassigned: true }, { archived: true }],
  },
  { list: contactList, filters: [{}, { company_id: COMPANY }] },
  {
    list: taskList,
    filters: [{}, { user_id: USER }, { company_id: COMPANY }, { completed: false }, { completed: true }],
  },
  { list: offerList, filters: [{}, { user_id: USER }, { company_id: COMPANY }, { status: 'sent' }] },
  { list: noteList, filters: [{}] },
  { list: timelineList, filters: [{ company: COMPANY }] },
];

const SMALL = crypto.randomUUID();
const LARGE = crypto.randomUUID();

const dataDir = await mkdtemp(join(tmpdir(), 'kundebok-bench-'));
const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
const client = new Client({ connectionString: server.url });
const db = connect({ url: server.url, connections: 2, onIdleError: () => {} });
try {
  await migrate(server.url);
  await client.connect();
  // What a disk takes would hide the rest.
  await client.query('alter role current_user set synchronous_commit = off');
  await fill();
  await measureLists();
  await measureSearch();
  if (only.test('writes')) say(await compareWrites(client, tenantOf(LARGE)));
} finally {
  await db.close();
  await client.end();
  await server.stop();
  await rm(dataDir, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const sizes = { companies: 1e6, contacts: 1e6, tasks: 5e5, offers: 5e5, notes: 2e6 };
  const of = (share: number) =>
    Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, Math.round(size * share)]));
  say(`Filling a workspace of a thousand companies and one of ${sizes.companies * scale}`);
  await seedLists(client, SMALL, of(0.001) as typeof sizes);
  await seedLists(client, LARGE, of(scale) as typeof sizes);
  await client.query('vacuum (analyze)');
}

function tenantOf(id: string): Tenant {
  return tenantOfCommand(db, id, 'bench');
}

/** Pages of each list with each filter and sort; ranges that match all, a half, and few. */
async function measureLists(): Promise<void> {
  const lines = [['list', 'filter', 'sort', 'small ms', 'first ms', '1000th ms', 'ratios']];
  for (const { list, filters } of LISTS) {
    for (const filter of [...filters, ...(await ranges(list))]) {
      for (const sort of ['id', ...Object.keys(list.sorts)]) {
        const name = [list.title, JSON.stringify(filter), sort];
        if (!only.test(name.join(' '))) continue;
        const { small, first, deep } = await measured(list, filter, sort);
        const ratios = [first / small, ...(deep === undefined ? [] : [deep / small])];
        const mark = Math.max(...ratios) > MOST_SLOWER ? ' MISSED' : '';
        lines.push([
          ...name,
          ms(small),
          ms(first),
          ms(deep),
          ratios.map((ratio) => ratio.toFixed(2)).join(' ') + mark,
        ]);
      }
    }
  }
  if (lines.length > 1) say(table(lines));
}

async function ranges(list: Listing): Promise<Filters[]> {
  if (!list.sieves['updated_since']) return [];
  const at = async (place: number) => {
    const { rows } = await client.query(
      `select updated_at from ${list.table} where tenant_id = $1 order by updated_at desc offset $2 limit 1`,
      [LARGE, place],
    );
    return rows[0].updated_at.toISOString() as string;
  };
  const half = await at(Math.round(250_000 * scale));
  const few = await at(200);
  const filters: Filters[] = ['2026-01-01T00:00:00Z', half, few].map((updated_since) => ({ updated_since }));
  if (list.sieves['due_from']) {
    filters.push({ due_from: '2026-07-01T00:00:00Z' }, { due_before: '2026-07-01T00:00:00Z' });
  }
  return filters;
}

async function measured(list: Listing, filters: Filters, sort: string) {
  const page = (id: string, after?: Place) =>
    readPage(list, tenantOf(id), { filters, sort, after, limit: LIMIT });
  const after = await placeAt(list, filters, sort);
  const asks = [() => page(SMALL), () => page(LARGE), ...(after ? [() => page(LARGE, after)] : [])];
  const [small, first, deep] = await inTurns(asks);
  return { small: small!, first: first!, deep };
}

/** Where the thousandth page begins, found by reading up to it a hundred rows at a time. */
async function placeAt(list: Listing, filters: Filters, sort: string): Promise<Place | undefined> {
  let after: Place | undefined;
  for (let read = 0; read < DEEP;) {
    const { rows, next } = await readPage(list, tenantOf(LARGE), { filters, sort, after, limit: 5_000 });
    if (!next) return undefined;
    read += rows.length;
    after = next;
  }
  return after;
}

/** Median milliseconds of each, asked in turns so that whatever else the machine does meets all alike. */
async function inTurns(asks: (() => Promise<unknown>)[]): Promise<number[]> {
  const times = asks.map((): number[] => []);
  // The first rounds prepare statements and fill caches.
  for (let round = -3; round < rounds; round += 1) {
    for (const [index, ask] of asks.entries()) {
      const begun = performance.now();
      await ask();
      if (round >= 0) times[index]!.push(performance.now() - begun);
    }
  }
  return times.map((each) => each.toSorted((one, other) => one - other)[Math.floor(each.length / 2)]!);
}

/** Words of some row. */
async function wordsIn(list: string): Promise<string[]> {
  const { rows } = await client.query(`select search from ${list} where tenant_id = $1 limit 1 offset 777`, [
    LARGE,
  ]);
  return (rows[0].search as string).trim().split(' ');
}

async function measureSearch(): Promise<void> {
  const [orgnr = '', rare = '', common = ''] = await wordsIn('companies');
  const [first = '', last = ''] = await wordsIn('contacts');
  const cases: [Listing, string][] = [
    ...[
      orgnr,
      orgnr.slice(0, 4),
      rare,
      common,
      `${common} ${rare.slice(0, 3)}`,
      'as',
      'a',
      `as ${common}`,
      rare.slice(0, 2),
      'zzzz',
    ].map((q): [Listing, string] => [companyList, q]),
    ...[
      first,
      last,
      `${last} ${first}`,
      first.slice(0, 2),
      `${first.slice(0, 1)} ${last.slice(0, 1)}`,
      '+47 90 00',
      '90000777',
      'x@y',
    ].map((q): [Listing, string] => [contactList, q]),
  ];
  const lines = [['list', 'q', 'sort', 'rows', 'by number ms', 'ms', 'ratio']];
  for (const [list, q] of cases) {
    for (const sort of ['id', 'name']) {
      const line = await searched(list, q, sort);
      if (line) lines.push(line);
    }
  }
  say(table(lines));
}

async function searched(list: Listing, q: string, sort: string): Promise<string[] | undefined> {
  const name = [list.title, JSON.stringify({ q }), sort];
  if (!only.test(name.join(' '))) return undefined;
  const tenant: Tenant = tenantOf(LARGE);
  const start = list === contactList && !q.includes(' ') ? { q_start: q } : {};
  const filters = { q, ...start, q_number: numberIn(q) };
  const ask = () => readPage(list, tenant, { filters, sort, after: undefined, limit: LIMIT });
  const { rows } = await ask();
  const [byNumber, byWords] = await inTurns([() => tenant.row(findCompany, { orgnr: '900000777' }), ask]);
  const ratio = byWords! / byNumber!;
  const mark = ratio > MOST_SLOWER_SEARCH ? ' MISSED' : '';
  return [list.title, q, sort, String(rows.length), ms(byNumber), ms(byWords), ratio.toFixed(1) + mark];
}

function ms(time: number | undefined): string {
  return time === undefined ? '' : time.toFixed(2);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
