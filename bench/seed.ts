import type { Client } from 'pg';
import { digestOf, newKey } from '../src/keys/key.ts';

/** What a load needs to know about the workspace that its requests use. */
export type BenchWorkspace = { token: string; companies: number; offers: number };

/** Companies and contacts of the large workspace and of each small one; the most offers that a workspace has. */
export type Sizes = { large: number; small: number; offers: number };

const WORKSPACES = 50;
const THOUSAND = 1_000;

/** Number of the company at a place; places count from 1. */
export function orgNr(place: number): string {
  return String(900_000_000 + place);
}

/** Id of the offer at a place; places count from 1. */
export function offerId(place: number): string {
  return `01890000-0000-7000-8000-${place.toString(16).padStart(12, '0')}`;
}

/**
 * Fills an empty database. Ids follow from places, so that a load can name any row without asking.
 * @returns the large workspace and the one of a thousand
 */
export async function seed(
  client: Client,
  { large, small, offers }: Sizes,
): Promise<{ large: BenchWorkspace; thousand: BenchWorkspace }> {
  const workspaces = await insertWorkspaces(client);
  const sizes = workspaces.map((_, index) => (index === 0 ? large : index === 1 ? THOUSAND : small));
  for (const [index, { tenant, user }] of workspaces.entries()) {
    const companies = sizes[index]!;
    await client.query(COMPANIES, [tenant, companies]);
    await client.query(CONTACTS, [tenant, companies]);
    await client.query(OFFERS, [tenant, user, Math.min(offers, companies)]);
  }
  await client.query('vacuum (analyze) companies, contacts, offers, memberships, users, api_keys');
  const workspaceOf = (index: number): BenchWorkspace => ({
    token: workspaces[index]!.token,
    companies: sizes[index]!,
    offers: Math.min(offers, sizes[index]!),
  });
  return { large: workspaceOf(0), thousand: workspaceOf(1) };
}

async function insertWorkspaces(client: Client): Promise<{ tenant: string; user: string; token: string }[]> {
  const workspaces = Array.from({ length: WORKSPACES }, () => ({
    tenant: crypto.randomUUID(),
    user: crypto.randomUUID(),
    key: newKey(),
  }));
  for (const [index, { tenant, user, key }] of workspaces.entries()) {
    await client.query('insert into workspaces (id, name) values ($1, $2)', [tenant, `Workspace ${index}`]);
    await client.query(
      "insert into users (id, email, first_name, last_name) values ($1, $2, 'Ola', 'Nordmann')",
      [user, `ola.${index}@example.no`],
    );
    await client.query("insert into memberships (tenant_id, user_id, role) values ($1, $2, 'owner')", [
      tenant,
      user,
    ]);
    await client.query(
      'insert into api_keys (tenant_id, id, user_id, digest, permissions) values ($1, $2, $3, $4, 255)',
      [tenant, key.id, user, digestOf(key.token)],
    );
  }
  return workspaces.map(({ tenant, user, key }) => ({ tenant, user, token: key.token }));
}

const ID = "('01890000-0000-7000-8000-' || lpad(to_hex(place), 12, '0'))::uuid";

const COMPANIES = `
  insert into companies (tenant_id, id, orgnr, name, status, source, org_form, registered_at, employees,
    nace_primary, email_address, phone_number, website_url)
  select $1::uuid, ${ID}, (900000000 + place)::text, 'Bedrift nummer ' || place || ' AS', 'prospect', 'api', 'AS',
    date '1995-03-12' + place % 9000, place % 500, '62.010', 'post@bedrift-' || place || '.no', '51 99 00 00',
    'www.bedrift-' || place || '.no'
  from generate_series(1, $2::int) as place`;

const CONTACTS = `
  insert into contacts (tenant_id, id, name, notes)
  select $1::uuid, ${ID}, 'Kari Nordmann ' || place, 'Møtt på messen'
  from generate_series(1, $2::int) as place`;

const OFFERS = `
  insert into offers (tenant_id, id, title, company_id, user_id, status, one_time_revenue, recurring_revenue,
    recurring_frequency, weight)
  select $1::uuid, ${ID}, 'Serviceavtale ' || place, ${ID}, $2::uuid, 'sent', 50000, 1500, 'monthly', 50
  from generate_series(1, $3::int) as place`;
