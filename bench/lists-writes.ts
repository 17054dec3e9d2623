import { randomUUIDv7 } from 'node:crypto';
import type { Client } from 'pg';
import { newCompany } from '../src/companies/add.ts';
import { COMPANY_CHANGEABLE, type CompanyUpdate } from '../src/companies/schema.ts';
import { insertCompany, updateCompany } from '../src/companies/store.ts';
import { CONTACT_CHANGEABLE, contactCreate, type ContactUpdate } from '../src/contacts/schema.ts';
import { insertContact, pointStore, updateContact } from '../src/contacts/store.ts';
import { patchParameters } from '../src/db/columns.ts';
import { formOf, valuesOf, type Statement } from '../src/db/statement.ts';
import type { Change } from '../src/db/tenant.ts';
import { OFFER_CHANGEABLE, offerCreate, type OfferUpdate } from '../src/offers/schema.ts';
import { insertOffer, updateOffer } from '../src/offers/store.ts';
import { NOT_STATED } from '../src/register/register.ts';
import { TASK_CHANGEABLE, taskCreate, type TaskUpdate } from '../src/tasks/schema.ts';
import { insertTask, updateTask } from '../src/tasks/store.ts';
import { COMPANY, USER } from './lists-seed.ts';

/** Writes of each kind in one turn; turns that have all indexes, and as many again that do not. */
const AT_ONCE = 20;
const TURNS = 4;

type Cost = { time: number; bytes: number };
type Write = { statement: Statement<never, unknown>; parameters: () => object };

const TABLES =
  'companies,company_words,contacts,contact_words,tasks,task_words,offers,offer_words,contact_points,changes,timeline_entries';

/**
 * What indexes cost each write, as lines of a table: PostgreSQL's own time and bytes of its write-ahead log, with all
 * indexes and without those that `without` names. The two take turns, in transactions that are rolled back.
 */
export async function compareWrites(client: Client, tenant: string, without: string): Promise<string[][]> {
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index
     where not indisunique and indrelid = any($1::regclass[]) and indexrelid::regclass::text ~ $2`,
    [`{${TABLES}}`, without],
  );
  const names = rows.map(({ name }) => name);
  const all: Record<string, Cost> = {};
  const lean: Record<string, Cost> = {};
  for (let turn = 0; turn < TURNS; turn += 1) {
    await inTurn(client, tenant, { dropped: [], least: all });
    await inTurn(client, tenant, { dropped: names, least: lean });
  }
  const lines = Object.keys(all).map((name) => {
    const [one, other] = [all[name]!, lean[name]!];
    const each = (pick: (cost: Cost) => number) => [
      pick(other).toFixed(0),
      (pick(one) / pick(other)).toFixed(2),
    ];
    return [name, ...each(({ time }) => time), ...each(({ bytes }) => bytes)];
  });
  const head = [`without ${names.length} indexes`, 'µs', 'ratio', 'bytes', 'ratio'];
  return [head, ...lines];
}

async function inTurn(
  client: Client,
  tenant: string,
  { dropped, least }: { dropped: readonly string[]; least: Record<string, Cost> },
): Promise<void> {
  await client.query('begin');
  if (dropped.length > 0) await client.query(`drop index ${dropped.join(', ')}`);
  const change = { tenant, actor_kind: 'key', actor_id: 'bench', author_id: USER, request_id: 'bench' };
  const written = async () => {
    const { rows } = await client.query("select pg_current_wal_insert_lsn() - '0/0' as bytes");
    return Number(rows[0].bytes);
  };
  const costOf = async ({ statement, parameters }: Write): Promise<Cost> => {
    const given = { ...parameters(), ...change };
    const form = formOf(statement as Statement<object, unknown>, given);
    const explained = `explain (analyze, timing off, format json) ${form.text}`;
    const before = await written();
    const { rows } = await client.query(explained, valuesOf(form, given));
    const bytes = (await written()) - before;
    return { time: rows[0]['QUERY PLAN'][0]['Execution Time'] * 1e3, bytes };
  };
  for (const [name, write] of Object.entries(writes())) {
    const costs: Cost[] = [];
    for (let n = 0; n < AT_ONCE; n += 1) costs.push(await costOf(write));
    const known = least[name] ? [least[name]] : [];
    const leastOf = (pick: (cost: Cost) => number) => Math.min(...[...known, ...costs].map(pick));
    least[name] = { time: leastOf(({ time }) => time), bytes: leastOf(({ bytes }) => bytes) };
  }
  await client.query('rollback');
}

const place = (n: number) => `01890000-0000-7000-8000-${n.toString(16).padStart(12, '0')}`;

/** Each write adds a new row, or changes a row that is in the database already. */
function writes(): Record<string, Write> {
  const none = { if_match: null };
  const task = taskCreate.decode({
    title: 'Ring Kari om bygg',
    due_date: '2026-01-15T09:00:00Z',
    user_id: USER,
    related_company_id: COMPANY,
  });
  const offer = offerCreate.decode({ title: 'Avtale om bygg', company_id: COMPANY, user_id: USER });
  const contact = contactCreate.decode({ name: 'Kari Nordmann' });
  const company = { ...NOT_STATED, name: 'Fjell Bygg AS', org_form: 'AS', registered_at: '2020-01-01' };
  let n = 0;
  const next = () => (n += 1);
  return {
    'insert company': write(insertCompany, () => {
      const orgnr = String(8e8 + next());
      const unit = { ...company, orgnr };
      return newCompany({ outcome: 'found', unit }, { orgnr, assigned_to: USER, source: 'api' });
    }),
    'update company': write(updateCompany, () => ({
      ...patchParameters<CompanyUpdate>(COMPANY_CHANGEABLE, { website_url: `www.${next()}.no` }),
      orgnr: String(9e8 + n),
      kept_fields: ['website_url'],
      ...none,
    })),
    'insert contact': write(insertContact, () => ({ ...contact, id: randomUUIDv7() })),
    'update contact': write(updateContact, () => ({
      ...patchParameters<ContactUpdate>(CONTACT_CHANGEABLE, { notes: String(next()) }),
      id: place(n),
      ...none,
    })),
    'rename contact': write(updateContact, () => ({
      ...patchParameters<ContactUpdate>(CONTACT_CHANGEABLE, { name: `Kari Fjell${next()}` }),
      id: place(n),
      ...none,
    })),
    'insert point': write(pointStore.insert, () => ({
      contact: place(next()),
      type: 'email',
      value: `kari.${n}@example.no`,
      label: '',
      limit: 1e6,
    })),
    'insert task': write(insertTask, () => ({ ...task, id: randomUUIDv7() })),
    'insert task without words': write(insertTask, () => ({ ...task, title: '!', id: randomUUIDv7() })),
    'update task': write(updateTask, () => ({
      ...patchParameters<TaskUpdate>(TASK_CHANGEABLE, { description: String(next()) }),
      id: place(n),
      ...none,
    })),
    'insert offer': write(insertOffer, () => ({ ...offer, id: randomUUIDv7() })),
    'insert offer without words': write(insertOffer, () => ({ ...offer, title: '!', id: randomUUIDv7() })),
    'update offer': write(updateOffer, () => ({
      ...patchParameters<OfferUpdate>(OFFER_CHANGEABLE, { description: String(next()) }),
      id: place(n),
      seen_status: null,
      ...none,
    })),
  };
}

function write<P extends object>(
  statement: Statement<P, unknown>,
  parameters: () => Record<Exclude<keyof P, keyof Change>, unknown>,
): Write {
  return { statement, parameters };
}
