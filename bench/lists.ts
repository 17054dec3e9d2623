import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { pino } from 'pino';
import { companyList } from '../src/companies/list.ts';
import { noteList, timelineList } from '../src/companies/timeline-list.ts';
import { contactList } from '../src/contacts/list.ts';
import { putContactsInOrder } from '../src/contacts/ordered.ts';
import { connect } from '../src/db/connect.ts';
import { startEmbeddedPostgres } from '../src/db/embedded.ts';
import { readPage } from '../src/db/listing.ts';
import type { Listing, ListPlace } from '../src/db/listing-shape.ts';
import { migrate } from '../src/db/migrate.ts';
import { tenantOfCommand, type Tenant } from '../src/db/tenant.ts';
import { offerList } from '../src/offers/list.ts';
import { taskList } from '../src/tasks/list.ts';
import { Meter } from './lists-cost.ts';
import { measureRequests } from './lists-requests.ts';
import { measureSearches } from './lists-search.ts';
import { compareWrites } from './lists-writes.ts';
import { COMPANY, seedLists, USER, withoutIndexes } from './lists-seed.ts';
import { table } from './report.ts';

/** Measures pages of lists in a large workspace against those in one of a thousand companies. */
const { values: options } = parseArgs({
  options: {
    scale: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '9' },
    only: { type: 'string', default: '' },
    keep: { type: 'string' },
    requests: { type: 'boolean', default: false },
    without: { type: 'string', default: '_by_|_notes$' },
  },
});
const scale = Number(options.scale);
const only = new RegExp(options.only);
const LIMIT = 25;
/** Rows before the thousandth page. */
const DEEP = 999 * LIMIT;
const MOST_SLOWER = 2;

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

const SMALL = '01890000-0000-7000-8000-0000000b0001';
const LARGE = '01890000-0000-7000-8000-0000000b0002';

const dataDir = options.keep ?? (await mkdtemp(join(tmpdir(), 'kundebok-bench-')));
const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
const client = new Client({ connectionString: server.url });
const db = connect({ url: server.url, connections: 1, onIdleError: () => {} });
try {
  await migrate(server.url);
  await client.connect();
  // Disk time would hide the rest.
  await client.query('alter role current_user set synchronous_commit = off');
  const filled = await client.query('select from workspaces where id = $1', [LARGE]);
  if (filled.rowCount === 0) await fill();
  const rounds = Number(options.rounds);
  if (options.requests) {
    const { url } = server;
    say(table(await measureRequests({ client, url, tenant: LARGE, only, limit: LIMIT, rounds })));
  } else {
    const meter = await Meter.of(db.pool, rounds);
    await measureLists(meter);
    const searches = await measureSearches({ meter, tenant: tenantOf(LARGE), only, limit: LIMIT });
    if (searches.length > 1) say(table(searches));
    if (only.test('writes')) say(table(await compareWrites(client, LARGE, options.without)));
  }
} finally {
  await db.close();
  await client.end();
  await server.stop();
  if (options.keep === undefined) await rm(dataDir, { recursive: true, force: true });
}

async function fill(): Promise<void> {
  const sizes = { companies: 1e6, contacts: 1e6, tasks: 5e5, offers: 5e5, notes: 2e6 };
  const of = (share: number) =>
    Object.fromEntries(Object.entries(sizes).map(([name, size]) => [name, Math.round(size * share)]));
  say(`Filling a workspace of a thousand companies and one of ${sizes.companies * scale}`);
  await withoutIndexes(client, async () => {
    await seedLists(client, SMALL, of(0.001) as typeof sizes);
    await seedLists(client, LARGE, of(scale) as typeof sizes);
  });
  await putContactsInOrder(tenantOf(LARGE));
  await client.query('vacuum (analyze)');
}

function tenantOf(id: string): Tenant {
  return tenantOfCommand(db, id, 'bench');
}

/** Pages of each list with each filter and sort; ranges that match all, many, and few rows. */
async function measureLists(meter: Meter): Promise<void> {
  const lines = [['list', 'filter', 'sort', 'small ms', 'first ms', '1000th ms', 'ratios']];
  for (const { list, filters } of LISTS) {
    const alike = filters.map((filter) => ({ large: filter, small: filter }));
    for (const filter of [...alike, ...(await ranges(list))]) {
      for (const sort of ['id', ...Object.keys(list.sorts)]) {
        const name = [list.title, JSON.stringify(filter.large), sort];
        if (!only.test(name.join(' '))) continue;
        const { small, first, deep } = await measured(meter, list, { filter, sort });
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

/** Filters that match the same share or number of rows in both workspaces: an empty page would cost nothing. */
type Pair = { large: Filters; small: Filters };

async function ranges(list: Listing): Promise<Pair[]> {
  if (!list.sieves['updated_since']) return [];
  const since = async (tenant: string, place: number): Promise<Filters> => {
    const { rows } = await client.query(
      `select updated_at from ${list.table} where tenant_id = $1 order by updated_at desc offset $2 limit 1`,
      [tenant, place],
    );
    return { updated_since: rows[0].updated_at.toISOString() };
  };
  const pair = async (large: number, small: number): Promise<Pair> => ({
    large: await since(LARGE, large),
    small: await since(SMALL, small),
  });
  const all = { updated_since: '2026-01-01T00:00:00Z' };
  const halves = await pair(Math.round(250_000 * scale), 250);
  const filters = [{ large: all, small: all }, halves, await pair(200, 200)];
  if (!list.sieves['due_from']) return filters;
  const due = [{ due_from: '2026-07-01T00:00:00Z' }, { due_before: '2026-07-01T00:00:00Z' }];
  return [...filters, ...due.map((filter) => ({ large: filter, small: filter }))];
}

async function measured(meter: Meter, list: Listing, { filter, sort }: { filter: Pair; sort: string }) {
  const page = (size: keyof Pair, after?: ListPlace) =>
    readPage(list, tenantOf(size === 'large' ? LARGE : SMALL), {
      filters: filter[size],
      sort,
      after,
      limit: LIMIT,
    });
  const after = await placeAt(list, filter.large, sort);
  const asks = [() => page('small'), () => page('large'), ...(after ? [() => page('large', after)] : [])];
  const [small, first, deep] = await meter.leastOf(asks);
  return { small: small!, first: first!, deep };
}

/** Where the thousandth page begins, found by reading up to it, 5 000 rows at a time. */
async function placeAt(list: Listing, filters: Filters, sort: string): Promise<ListPlace | undefined> {
  let after: ListPlace | undefined;
  for (let read = 0; read < DEEP;) {
    const { rows, next } = await readPage(list, tenantOf(LARGE), { filters, sort, after, limit: 5_000 });
    if (!next) return undefined;
    read += rows.length;
    after = next;
  }
  return after;
}

function ms(time: number | undefined): string {
  return time === undefined ? '' : time.toFixed(2);
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
