import { sql } from 'kysely';
import { etag, list } from '../changes/write.ts';
import { COMPANY_COLUMNS, type ContactField } from '../companies/schema.ts';
import type { StoredCompany } from '../companies/store.ts';
import { CONTACT_COLUMNS } from '../contacts/schema.ts';
import type { StoredContact } from '../contacts/store.ts';
import { reading } from '../db/statement.ts';
import { SHOWN } from '../members/shown.ts';
import { OFFER_COLUMNS } from '../offers/schema.ts';
import type { StoredOffer } from '../offers/store.ts';

export type MatchedCompany = StoredCompany & { kept_fields: ContactField[] };

/** By number or id, including deleted ones. */
export const matchCompanies = reading(
  'match companies',
  (p: { tenant: string; orgnrs: readonly string[]; ids: readonly string[] }) => sql<MatchedCompany>`
    select ${list(COMPANY_COLUMNS)}, kept_fields, ${etag} from companies
    where tenant_id = ${p.tenant} and (orgnr = any(${p.orgnrs}::text[]) or id = any(${p.ids}::uuid[]))`,
);

export type MatchedContact = StoredContact & { is_erased: boolean };

/** By id, including erased ones. */
export const matchContacts = reading(
  'match contacts',
  (p: { tenant: string; ids: readonly string[] }) => sql<MatchedContact>`
    select ${list(CONTACT_COLUMNS)}, erased_at is not null as is_erased, ${etag}
    from contacts where tenant_id = ${p.tenant} and id = any(${p.ids}::uuid[])`,
);

export const matchEmails = reading(
  'match contacts by email',
  (p: { tenant: string; emails: readonly string[] }) => sql<{ email: string; contact_id: string }>`
    select distinct e.email, p.contact_id
    from unnest(${p.emails}::text[]) as e(email)
    join contact_words w on w.tenant_id = ${p.tenant} and w.word = point_word('email', e.email) collate "C"
    join contact_points p
      on p.tenant_id = ${p.tenant} and p.contact_id = w.contact_id and p.id = w.point_id and p.type = 'email'`,
);

export const matchOffers = reading(
  'match offers',
  (p: { tenant: string; ids: readonly string[]; companies: readonly string[] }) => sql<StoredOffer>`
    select ${list(OFFER_COLUMNS)}, ${etag} from offers
    where tenant_id = ${p.tenant} and (id = any(${p.ids}::uuid[]) or company_id = any(${p.companies}::uuid[]))`,
);

export const findDeletedOffers = reading(
  'find ids of deleted offers',
  (p: { tenant: string; ids: readonly string[] }) => sql<{ id: string }>`
    select id from deleted_rows
    where tenant_id = ${p.tenant} and resource = 'offer' and id = any(${p.ids}::text[])`,
);

type Person = { id: string; email: string; name: string };

export const listPeople = reading(
  'list people of a workspace',
  (p: { tenant: string }) => sql<Person>`
    select u.id, ${SHOWN.email} as email, ${SHOWN.name} as name
    from memberships m join users u on u.id = m.user_id
    where m.tenant_id = ${p.tenant} and m.removed_at is null`,
);
