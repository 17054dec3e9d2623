import { groupByContact } from '../contacts/owned.ts';
import { contactCreate, MAX_LINKS, MAX_POINTS, type Link } from '../contacts/schema.ts';
import { linkStore, pointStore } from '../contacts/store.ts';
import { pointText } from '../csv/columns.ts';
import { newId } from '../db/new-id.ts';
import type { Tenant } from '../db/tenant.ts';
import { isSameText, Reader, type Given } from './cells.ts';
import { changedRole, emailsIn, keyOf, readContact, readPoint, type WantedContact } from './contact-cells.ts';
import { matchCompanies, matchContacts, matchEmails, type MatchedContact } from './match-store.ts';
import { idIn, idsIn, planCreation, planRefusal, planUpdate, type Importer, type Planned } from './plan.ts';
import { createContact, updateContactOf, type ContactChange } from './write-contact.ts';

export const contactImporter: Importer = {
  namesOf(row) {
    const id = idIn(row);
    return id === undefined ? namesWithoutId(row) : [`contact ${id}`];
  },
  namesWithoutId,
  companiesIn,
  async plan(tenant, rows) {
    const stored = await findStored(tenant, rows);
    return rows.map((row) => planContact(row, stored));
  },
};

function namesWithoutId(row: Given): string[] {
  return emailsIn(row).map((email) => `email ${email}`);
}

function companiesIn(rows: readonly Given[]): string[] {
  return rows.flatMap((row) => readContact(new Reader(row)).links.map(({ orgnr }) => orgnr));
}

type Stored = Awaited<ReturnType<typeof findStored>>;

async function findStored(tenant: Tenant, rows: readonly Given[]) {
  const emails = [...new Set(rows.filter(({ cells }) => !cells.has('id')).flatMap(emailsIn))];
  const matches = emails.length > 0 ? await tenant.rows(matchEmails, { emails }) : [];
  const ids = [...new Set([...idsIn(rows), ...matches.map(({ contact_id }) => contact_id)])];
  // One after the other: in a transaction there is one connection.
  const contacts = await tenant.rows(matchContacts, { ids });
  const points = await groupByContact(tenant.rows(pointStore.listOf, { contacts: ids }));
  const links = await groupByContact(tenant.rows(linkStore.listOf, { contacts: ids }));
  const companies = await tenant.rows(matchCompanies, { orgnrs: companiesIn(rows), ids: [] });
  return {
    contacts: new Map(contacts.map((contact) => [contact.id, contact])),
    byEmail: Map.groupBy(matches, ({ email }) => email),
    points,
    links,
    companies: new Map(companies.map((company) => [company.orgnr, company])),
  };
}

function planContact(row: Given, stored: Stored): Planned {
  const reader = new Reader(row);
  const wanted = readContact(reader);
  const contact = matchOf(row, wanted, stored, reader);
  if (!contact) reader.require('name');
  const change = changeOf(wanted, contact, stored, reader);
  if (reader.reasons.length > 0) return planRefusal(reader.reasons);
  const fields = fieldsOf(change);
  if (contact) return planUpdate(contact.id, fields, (tenant) => updateContactOf(tenant, contact, change));
  const { id = newId(), name = '', notes } = wanted;
  const added = { ...contactCreate.decode({ name, notes }), id };
  return planCreation(id, fields, (tenant) => createContact(tenant, added, change));
}

/** The contact of a row: by its id; without one, by its email addresses. */
function matchOf(
  row: Given,
  { id }: WantedContact,
  { contacts, byEmail }: Stored,
  reader: Reader,
): MatchedContact | undefined {
  const own = contacts.get(id ?? '');
  if (own?.is_erased) return reader.refuse('id', 'used_id');
  if (own || row.cells.has('id')) return own;
  const matches = emailsIn(row).flatMap((email) => byEmail.get(email) ?? []);
  const ids = new Set(matches.map(({ contact_id }) => contact_id));
  if (ids.size > 1) return reader.refuse('email', 'ambiguous');
  const [only] = ids;
  return contacts.get(only ?? '');
}

function changeOf(
  wanted: WantedContact,
  contact: MatchedContact | undefined,
  stored: Stored,
  reader: Reader,
): ContactChange {
  const ownPoints = stored.points.get(contact?.id ?? '') ?? [];
  const ownLinks = stored.links.get(contact?.id ?? '') ?? [];
  const known = new Set(ownPoints.map((point) => keyOf(point.type, pointText(point))));
  const points = wanted.points.flatMap(({ type, line }) => {
    const key = keyOf(type, line);
    if (known.has(key)) return [];
    known.add(key);
    return readPoint(reader, type, line) ?? [];
  });
  const links: ContactChange['links'] = [];
  const roles: ContactChange['roles'] = [];
  const there = [...ownLinks];
  const take = (orgnr: string, fits: (link: Link) => boolean) => {
    const company = stored.companies.get(orgnr);
    const index = there.findIndex((link) => link.company_id === company?.id && fits(link));
    return index < 0 ? undefined : there.splice(index, 1)[0];
  };
  // Links that already have the role come first, before another link to the same company is given it.
  const same = wanted.links.map(({ orgnr, role }) =>
    role ? take(orgnr, (link) => changedRole(link, role) === undefined) : undefined,
  );
  for (const [index, { orgnr, role }] of wanted.links.entries()) {
    const company = stored.companies.get(orgnr);
    const link = same[index] ?? take(orgnr, (one) => one.role === null) ?? take(orgnr, () => true);
    const other = link && changedRole(link, role);
    if (link && other !== undefined) roles.push({ link, role: other });
    if (link) continue;
    if (!company) reader.refuse('company', 'unknown_company');
    else if (company.is_deleted) reader.refuse('company', 'deleted_company');
    else links.push({ company_id: company.id, role: role ?? null });
  }
  if (points.length > 0 && ownPoints.length + points.length > MAX_POINTS) reader.refuse(null, 'limit');
  if (links.length > 0 && ownLinks.length + links.length > MAX_LINKS) reader.refuse('company', 'limit');
  const { name, notes } = wanted;
  return {
    patch: {
      ...(name !== undefined && !isSameText(name, contact?.name ?? null) && { name }),
      ...(notes !== undefined && !isSameText(notes, contact?.notes ?? null) && { notes }),
    },
    points,
    links,
    roles,
  };
}

function fieldsOf({ patch, points, links, roles }: ContactChange): string[] {
  return [
    ...Object.keys(patch),
    ...new Set(points.map(({ type }) => type)),
    ...(links.length > 0 ? ['company'] : []),
    ...(roles.length > 0 ? ['role'] : []),
  ];
}
