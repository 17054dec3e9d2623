import { randomUUIDv7 } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Client } from 'pg';
import { pino } from 'pino';
import { COMPANY_CHANGEABLE, type CompanyUpdate } from '../src/companies/schema.ts';
import { insertCompany, updateCompany } from '../src/companies/store.ts';
import { CONTACT_CHANGEABLE, type ContactUpdate } from '../src/contacts/schema.ts';
import { insertContact, insertPoint, updateContact } from '../src/contacts/store.ts';
import { patchParameters } from '../src/db/columns.ts';
import { connect, type Database } from '../src/db/connect.ts';
import { startEmbeddedPostgres } from '../src/db/embedded.ts';
import { migrate } from '../src/db/migrate.ts';
import { tenantOfCommand, type Tenant } from '../src/db/tenant.ts';
import { OFFER_CHANGEABLE, type OfferUpdate } from '../src/offers/schema.ts';
import { insertOffer, updateOffer } from '../src/offers/store.ts';
import { TASK_CHANGEABLE, type TaskUpdate } from '../src/tasks/schema.ts';
import { insertTask, updateTask } from '../src/tasks/store.ts';
import { Meter } from './lists-cost.ts';
import { COMPANY, seedLists, USER, withoutIndexes } from './lists-seed.ts';
import { table } from './report.ts';

/** Measures what indexes cost each write: two databases, one without those that a pattern names, asked in turns. */
const { values: options } = parseArgs({
  options: {
    without: { type: 'string', default: '_by_|_notes$' },
    rows: { type: 'string', default: '50000' },
    rounds: { type: 'string', default: '60' },
  },
});
const rows = Number(options.rows);
const WORKSPACE = '01890000-0000-7000-8000-0000000b0003';

await using ends = new AsyncDisposableStack();
const whole = await open(undefined);
const lean = await open(options.without);
// A connection that is not used for seconds is closed.
const meters = { whole: await Meter.of(whole.db.pool, 0), lean: await Meter.of(lean.db.pool, 0) };
const lines = [['write', 'without µs', 'with µs', 'ratio']];
const leanWrites = await writes(lean.tenant);
for (const [name, write] of Object.entries(await writes(whole.tenant))) {
  const costs = await Meter.inTurns(Number(options.rounds), [
    { meter: meters.lean, ask: leanWrites[name]! },
    { meter: meters.whole, ask: write },
  ]);
  const [without = 0, all = 0] = costs.map((cost) => cost * 1e3);
  lines.push([name, without.toFixed(0), all.toFixed(0), (all / without).toFixed(2)]);
}
process.stdout.write(`${table(lines)}\n`);

async function open(without: string | undefined): Promise<{ tenant: Tenant; db: Database }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'kundebok-bench-'));
  ends.defer(() => rm(dataDir, { recursive: true, force: true }));
  const server = await startEmbeddedPostgres({ dataDir, log: pino({ level: 'silent' }) });
  ends.defer(() => server.stop());
  await migrate(server.url);
  const client = new Client({ connectionString: server.url });
  await client.connect();
  // What a disk takes would hide the rest.
  await client.query('alter role current_user set synchronous_commit = off');
  const sizes = { companies: rows, contacts: rows, tasks: rows, offers: rows, notes: rows };
  await withoutIndexes(client, () => seedLists(client, WORKSPACE, sizes));
  if (without !== undefined) {
    const found = await client.query<{ name: string }>(
      `select indexrelid::regclass::text as name from pg_index
       where not indisunique and indexrelid::regclass::text ~ $1 and indrelid in (
         select oid from pg_class where relnamespace = 'public'::regnamespace)`,
      [without],
    );
    const names = found.rows.map(({ name }) => name);
    process.stdout.write(`Without ${names.join(', ')}\n`);
    if (names.length > 0) await client.query(`drop index ${names.join(', ')}`);
  }
  await client.query('vacuum (analyze)');
  await client.end();
  const db = connect({ url: server.url, connections: 1, onIdleError: () => {} });
  ends.defer(() => db.close());
  return { tenant: tenantOfCommand(db, WORKSPACE, 'bench'), db };
}

/** Writes that can be repeated, each with its entry in the change log. */
async function writes(tenant: Tenant): Promise<Record<string, () => Promise<unknown>>> {
  const none = { if_match: null };
  const [task, offer, contact] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()];
  const newTask = {
    title: 'Ring Kari om bygg',
    description: null,
    due_date: '2026-01-15T09:00:00Z',
    has_time_specified: true,
    user_id: USER,
    related_company_id: COMPANY,
  };
  const newOffer = {
    title: 'Avtale om bygg',
    description: null,
    company_id: COMPANY,
    user_id: USER,
    status: 'new',
    one_time_revenue: 0,
    recurring_revenue: 0,
    recurring_frequency: 'monthly',
    weight: 50,
  } as const;
  const newCompany = {
    name: 'Fjell Bygg AS',
    status: 'prospect',
    assigned_to: USER,
    source: 'api',
    org_form: 'AS',
    registered_at: '2020-01-01',
    employees: 0,
    nace_primary: '41.200',
    email_address: null,
    phone_number: null,
    mobile_number: null,
    website_url: null,
    is_archived: false,
    is_deleted: false,
    kept_fields: [],
    as_of: null,
  } as const;
  await tenant.row(insertTask, { ...newTask, id: task });
  await tenant.row(insertOffer, { ...newOffer, id: offer });
  await tenant.row(insertContact, { id: contact, name: 'Kari Nordmann', notes: '' });
  let n = 0;
  return {
    'insert company': () =>
      tenant.row(insertCompany, {
        ...newCompany,
        kept_fields: [],
        id: randomUUIDv7(),
        orgnr: String(800_000_000 + (n += 1)),
        created_at: new Date().toISOString(),
      } as never),
    'update company': () =>
      tenant.row(updateCompany, {
        ...patchParameters<CompanyUpdate>(COMPANY_CHANGEABLE, { website_url: `www.${(n += 1)}.no` }),
        orgnr: '900000777',
        kept_fields: ['website_url'],
        ...none,
      }),
    'insert contact': () =>
      tenant.row(insertContact, { id: randomUUIDv7(), name: 'Kari Nordmann', notes: '' }),
    'update contact': () =>
      tenant.row(updateContact, {
        ...patchParameters<ContactUpdate>(CONTACT_CHANGEABLE, { notes: String((n += 1)) }),
        id: contact,
        ...none,
      }),
    'insert point': () =>
      tenant.row(insertPoint, { contact, type: 'mobile', value: '900 00 000', label: '', limit: 1e6 }),
    'insert task': () => tenant.row(insertTask, { ...newTask, id: randomUUIDv7() }),
    'insert task without words': () => tenant.row(insertTask, { ...newTask, title: '!', id: randomUUIDv7() }),
    'update task': () =>
      tenant.row(updateTask, {
        ...patchParameters<TaskUpdate>(TASK_CHANGEABLE, { description: String((n += 1)) }),
        id: task,
        ...none,
      }),
    'insert offer': () => tenant.row(insertOffer, { ...newOffer, id: randomUUIDv7() }),
    'insert offer without words': () =>
      tenant.row(insertOffer, { ...newOffer, title: '!', id: randomUUIDv7() }),
    'update offer': () =>
      tenant.row(updateOffer, {
        ...patchParameters<OfferUpdate>(OFFER_CHANGEABLE, { description: String((n += 1)) }),
        id: offer,
        seen_status: null,
        ...none,
      }),
  };
}
