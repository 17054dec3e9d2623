import { sql } from 'kysely';
import type { ChangeEntry } from '../changes/schema.ts';
import { listChanges, numberCommitted } from '../changes/store.ts';
import { pick } from '../db/columns.ts';
import { statement } from '../db/statement.ts';
import type { Tenant } from '../db/tenant.ts';
import { requireContact } from './require-contact.ts';
import { CONTACT_COLUMNS, type Link } from './schema.ts';
import { pointStore } from './store.ts';

/** Entries that are read at once. */
const PAGE = 1_000;

/** A company link with the name of the company. */
type NamedLink = Link & { company: { orgnr: string; name: string } };

const listNamedLinks = statement(
  'list named links',
  (p: { tenant: string; contact: string }) => sql<NamedLink>`select l.id, l.company_id, l.role,
      json_build_object('orgnr', c.orgnr, 'name', c.name) as company
    from contact_companies as l join companies as c on c.tenant_id = ${p.tenant} and c.id = l.company_id
    where l.tenant_id = ${p.tenant} and l.contact_id = ${p.contact} order by l.id`,
);

const listMergedInto = statement(
  'list merged into',
  (p: { tenant: string; contacts: readonly string[] }) => sql<{ id: string }>`
    select id from contacts where tenant_id = ${p.tenant} and merged_into = any(${p.contacts}::uuid[])`,
);

/**
 * Everything that a workspace holds under a person's contact, for an access request.
 * @throws {Problem} not_found, also for an erased or merged contact
 */
export async function collectPersonalData(tenant: Tenant, id: string) {
  const contact = await requireContact(tenant, id);
  return {
    exported_at: Temporal.Now.instant().toString({ fractionalSecondDigits: 3 }),
    workspace_id: tenant.id,
    contact: pick(contact, CONTACT_COLUMNS),
    points: await tenant.rows(pointStore.list, { contact: id }),
    links: await tenant.rows(listNamedLinks, { contact: id }),
    changes: await findChanges(tenant, await findIds(tenant, id)),
  };
}

/** The ids of a contact and of those that were merged into it, directly or not. */
async function findIds(tenant: Tenant, contact: string): Promise<Set<string>> {
  const ids = new Set<string>();
  for (let contacts = [contact]; contacts.length > 0;) {
    for (const id of contacts) ids.add(id);
    contacts = (await tenant.rows(listMergedInto, { contacts })).map(({ id }) => id);
  }
  return ids;
}

/** The log has no index by contact: it is read in pages, so that no query takes long. */
async function findChanges(tenant: Tenant, contacts: ReadonlySet<string | null>): Promise<ChangeEntry[]> {
  const { oldest, end } = await numberCommitted(tenant, { toEnd: true });
  const asked = { resources: ['contact', 'point', 'link'], until: end.id, limit: PAGE };
  const found: ChangeEntry[] = [];
  for (let after = oldest; after < end.id;) {
    const entries = await tenant.rows(listChanges, { ...asked, after });
    const own = entries.filter(({ contact_id }) => contacts.has(contact_id));
    found.push(...own.map(({ salt: _salt, ...entry }) => entry));
    after = entries[PAGE - 1]?.id ?? end.id;
  }
  return found;
}
