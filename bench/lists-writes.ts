import { randomUUIDv7 } from 'node:crypto';
import type { Client } from 'pg';
import { updateCompany } from '../src/companies/store.ts';
import { CONTACT_CHANGEABLE, type ContactUpdate } from '../src/contacts/schema.ts';
import { insertContact, insertPoint, updateContact } from '../src/contacts/store.ts';
import { patchParameters } from '../src/db/columns.ts';
import type { Tenant } from '../src/db/tenant.ts';
import { COMPANY_CHANGEABLE, type CompanyUpdate } from '../src/companies/schema.ts';
import { OFFER_CHANGEABLE, type OfferUpdate } from '../src/offers/schema.ts';
import { insertOffer, updateOffer } from '../src/offers/store.ts';
import { TASK_CHANGEABLE, type TaskUpdate } from '../src/tasks/schema.ts';
import { insertTask, updateTask } from '../src/tasks/store.ts';
import { COMPANY, USER } from './lists-seed.ts';
import { table } from './report.ts';

/** Writes in a row of each kind, of which the median is taken. */
const WRITES = 2_000;

/** What the indexes of lists cost a write: the same writes with them and after they were dropped. */
export async function compareWrites(client: Client, tenant: Tenant): Promise<string> {
  const { rows } = await client.query<{ name: string }>(
    `select indexrelid::regclass::text as name from pg_index
     where indrelid = any('{companies,contacts,tasks,offers,contact_words}'::regclass[])
       and not indisunique and indexrelid::regclass::text ~ '_by_|_notes$'`,
  );
  const withThem = await writes(tenant);
  await client.query(`drop index ${rows.map(({ name }) => name).join(', ')}`);
  const without = await writes(tenant);
  const lines = Object.keys(withThem).map((name) => {
    const [one, other] = [withThem[name]!, without[name]!];
    return [name, other.toFixed(0), one.toFixed(0), (one / other).toFixed(2)];
  });
  return table([['write', 'without µs', 'with µs', 'ratio'], ...lines]);
}

async function writes(tenant: Tenant): Promise<Record<string, number>> {
  const none = { if_match: null };
  const [task, offer, contact] = [randomUUIDv7(), randomUUIDv7(), randomUUIDv7()];
  const newTask = {
    title: 'Ring',
    description: null,
    due_date: '2026-01-15T09:00:00Z',
    has_time_specified: true,
    user_id: USER,
    related_company_id: COMPANY,
  };
  const newOffer = {
    title: 'Avtale',
    description: null,
    company_id: COMPANY,
    user_id: USER,
    status: 'new',
    one_time_revenue: 0,
    recurring_revenue: 0,
    recurring_frequency: 'monthly',
    weight: 50,
  } as const;
  await tenant.row(insertTask, { ...newTask, id: task });
  await tenant.row(insertOffer, { ...newOffer, id: offer });
  await tenant.row(insertContact, { id: contact, name: 'Kari Nordmann', notes: '' });
  return {
    'insert task': await median(() => tenant.row(insertTask, { ...newTask, id: randomUUIDv7() })),
    'update task': await median((n) =>
      tenant.row(updateTask, {
        ...patchParameters<TaskUpdate>(TASK_CHANGEABLE, { title: `Ring ${n}` }),
        id: task,
        ...none,
      }),
    ),
    'insert offer': await median(() => tenant.row(insertOffer, { ...newOffer, id: randomUUIDv7() })),
    'update offer': await median((n) =>
      tenant.row(updateOffer, {
        ...patchParameters<OfferUpdate>(OFFER_CHANGEABLE, { title: `Avtale ${n}` }),
        id: offer,
        seen_status: null,
        ...none,
      }),
    ),
    'insert contact': await median(() =>
      tenant.row(insertContact, { id: randomUUIDv7(), name: 'Kari Nordmann', notes: '' }),
    ),
    'update contact': await median((n) =>
      tenant.row(updateContact, {
        ...patchParameters<ContactUpdate>(CONTACT_CHANGEABLE, { notes: String(n) }),
        id: contact,
        ...none,
      }),
    ),
    'insert point': await median(() =>
      tenant.row(insertPoint, { contact, type: 'mobile', value: '900 00 000', label: '', limit: 1e6 }),
    ),
    'update company': await median((n) =>
      tenant.row(updateCompany, {
        ...patchParameters<CompanyUpdate>(COMPANY_CHANGEABLE, { website_url: `www.${n}.no` }),
        orgnr: '900000777',
        kept_fields: ['website_url'],
        ...none,
      }),
    ),
  };
}

/** Microseconds. */
async function median(write: (n: number) => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  const offset = Date.now();
  for (let n = 0; n < WRITES; n += 1) {
    const begun = performance.now();
    await write(offset + n);
    times.push((performance.now() - begun) * 1_000);
  }
  return times.toSorted((one, other) => one - other)[WRITES / 2]!;
}
