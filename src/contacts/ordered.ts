import { sql, type RawBuilder } from 'kysely';
import { statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { FIRST_ID } from '../http/listed.ts';

// Links of a company with many contacts hold the name and the time of change of their contact, from which a page is
// read in order. `ordered_version` of the contact tells whether they are up to date: see decision 7.

/** The first links of a company store neither name nor time: each page sorts their contacts. Later links store both. */
export const MAX_SORTED = 50;

/** A write leaves a contact with more links than this out of order until the next run: updating them takes long. */
const MAX_WRITTEN = 50;

/** Whether a company already has MAX_SORTED links that store neither: one row, `is_large`. */
export function largeCompany(p: { tenant: string; company_id: unknown }): RawBuilder<unknown> {
  return sql`size as (
    select count(*) >= ${sql.lit(MAX_SORTED)} as is_large from (
      select from contact_companies
      where tenant_id = ${p.tenant} and company_id = ${p.company_id} and contact_updated_at is null
      limit ${sql.lit(MAX_SORTED)}) as l)`;
}

/**
 * `ordered_version` of the changed contact `r`. A statement that has waited for another one does not see the
 * links that the other wrote: then the version stays behind, and the contact is out of order.
 * @param begins whether a link begins to hold what the contact is sorted by
 */
export function orderedVersion(
  p: { tenant: string; contact: unknown },
  begins: RawBuilder<unknown> = sql`false`,
): RawBuilder<unknown> {
  return sql`case
    when r.ordered_version is null then case when ${begins} then r.version + 1 end
    when r.link_count <= ${sql.lit(MAX_WRITTEN)} and (r.version, r.ordered_version) = (
      select seen.version, seen.ordered_version from contacts as seen
      where seen.tenant_id = ${p.tenant} and seen.id = ${p.contact}) then r.version + 1
    else r.ordered_version end`;
}

/**
 * Writes the name and the time of change of a changed contact to its links, if its `ordered_version` is current.
 * @param changed returns the contact
 * @param except the link that the statement changes itself
 */
export function orderedLinks(tenant: string, changed: string, except?: unknown): RawBuilder<unknown> {
  const others = except === undefined ? sql`` : sql`and l.id <> ${except}`;
  return sql`ordered as (
    update contact_companies as l set contact_name = c.name, contact_updated_at = c.updated_at
    from ${sql.table(changed)} as c
    where l.tenant_id = ${tenant} and l.contact_id = c.id and c.ordered_version = c.version
      and l.contact_updated_at is not null ${others})`;
}

type Some = { tenant: string; ids: readonly string[] };
type Large = { tenant: string; companies: readonly string[] };

const listLargeCompanies = statement(
  'list companies with many contacts',
  (p: { tenant: string }) => sql<{ id: string }>`
    select company_id as id from contact_companies
    where tenant_id = ${p.tenant} and contact_updated_at is null
    group by company_id having count(*) > ${sql.lit(MAX_SORTED)}`,
);

const listOutOfOrder = statement(
  'list contacts out of order',
  (p: Large & { after: string; batch: number }) => sql<{ id: string }>`
    select id from (
      select contact_id as id from contact_companies
      where tenant_id = ${p.tenant} and company_id = any(${p.companies}::uuid[]) and contact_updated_at is null
      union
      select id from contacts
      where tenant_id = ${p.tenant} and ordered_version <> version and erased_at is null) as t
    where id > ${p.after} order by id limit ${p.batch}`,
);

/** Skips locked contacts: waiting for them would keep others waiting. */
const lockFree = statement(
  'lock contacts out of order',
  (p: Some) => sql<{ id: string }>`
    select id from contacts
    where tenant_id = ${p.tenant} and id = any(${p.ids}::uuid[]) and erased_at is null
    order by id for no key update skip locked`,
);

const orderSome = statement(
  'put contacts in order',
  (p: Some & Large) => sql<{ id: string }>`with
    held as (select * from contacts where tenant_id = ${p.tenant} and id = any(${p.ids}::uuid[])),
    ordered as (
      update contact_companies as l set contact_name = held.name, contact_updated_at = held.updated_at from held
      where l.tenant_id = ${p.tenant} and l.contact_id = held.id
        and (l.contact_updated_at is not null or l.company_id = any(${p.companies}::uuid[])))
    update contacts set ordered_version = version where tenant_id = ${p.tenant} and id = any(${p.ids}::uuid[])
    returning id`,
);

type Options = { batch?: number; signal?: AbortSignal };

/**
 * Fills links that hold nothing although their company has many contacts, and updates outdated ones: after an upgrade,
 * an import of a whole workspace, and concurrent writes. Contacts being written are left for the next run.
 */
export async function putContactsInOrder(tenant: Tenant, options: Options = {}): Promise<void> {
  const companies = (await tenant.rows(listLargeCompanies, {})).map(({ id }) => id);
  let after: string | undefined = FIRST_ID;
  while (after !== undefined && options.signal?.aborted !== true)
    after = await putNextInOrder(tenant, companies, { after, batch: options.batch ?? 200 });
}

/** @returns the last contact that was looked at; undefined when there were none */
async function putNextInOrder(
  tenant: Tenant,
  companies: readonly string[],
  next: { after: string; batch: number },
): Promise<string | undefined> {
  const found = await tenant.rows(listOutOfOrder, { companies, ...next });
  if (found.length === 0) return undefined;
  await tenant.transaction(async (transaction) => {
    const free = await transaction.rows(lockFree, { ids: found.map(({ id }) => id) });
    await transaction.rows(orderSome, { ids: free.map(({ id }) => id), companies });
  });
  return found.at(-1)!.id;
}
