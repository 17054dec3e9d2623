import {
  CONTACT_CHANGEABLE,
  LINK_CHANGEABLE,
  MAX_LINKS,
  MAX_POINTS,
  type ContactCreate,
  type ContactUpdate,
  type Link,
  type LinkCreate,
  type LinkUpdate,
  type PointCreate,
} from '../contacts/schema.ts';
import {
  findContact,
  insertContact,
  linkStore,
  lockContact,
  pointStore,
  updateContact,
  type StoredContact,
} from '../contacts/store.ts';
import { patchParameters, pick } from '../db/columns.ts';
import type { Tenant } from '../db/tenant.ts';
import { requireRow } from './plan.ts';

/** What a row adds to a contact and changes in it. */
export type ContactChange = {
  patch: ContactUpdate;
  points: Required<PointCreate>[];
  links: Required<LinkCreate>[];
  roles: { link: Link; role: string }[];
};

/** What undoing a change of a contact removes or restores. */
export type ContactBefore = {
  patch: ContactUpdate;
  points: number[];
  links: number[];
  roles: { id: number; role: string | null }[];
};

/** @throws {Overtaken} */
export async function createContact(tenant: Tenant, contact: Required<ContactCreate>, change: ContactChange) {
  requireRow(await tenant.row(insertContact, contact));
  await addTo(tenant, contact.id, change);
  return { etag: await etagOf(tenant, contact.id), before: null };
}

/** Changes a contact if nobody else has changed it. @throws {Overtaken} */
export async function updateContactOf(tenant: Tenant, contact: StoredContact, change: ContactChange) {
  const { id, etag } = contact;
  const locked = await tenant.row(lockContact, { id });
  requireRow(locked?.etag === etag ? locked : undefined);
  const { patch, roles } = change;
  await patchContact(tenant, id, patch);
  const added = await addTo(tenant, id, change);
  for (const { link, role } of roles) await setRole(tenant, id, { id: link.id, role });
  const before: ContactBefore = {
    patch: pick(
      contact,
      CONTACT_CHANGEABLE.filter((field) => field in patch),
    ),
    ...added,
    roles: roles.map(({ link }) => ({ id: link.id, role: link.role })),
  };
  return { etag: await etagOf(tenant, id), before };
}

/** Restores a locked contact. @throws {Overtaken} if what the import added is gone */
export async function undoUpdate(tenant: Tenant, id: string, before: ContactBefore): Promise<string> {
  await patchContact(tenant, id, before.patch);
  for (const point of before.points) {
    requireRow(await tenant.row(pointStore.delete, { contact: id, id: point }));
  }
  for (const link of before.links) {
    requireRow(await tenant.row(linkStore.delete, { contact: id, id: link }));
  }
  for (const role of before.roles) await setRole(tenant, id, role);
  return etagOf(tenant, id);
}

async function patchContact(tenant: Tenant, id: string, patch: ContactUpdate): Promise<void> {
  if (Object.keys(patch).length === 0) return;
  const parameters = { ...patchParameters(CONTACT_CHANGEABLE, patch), id, if_match: null };
  requireRow(await tenant.row(updateContact, parameters));
}

async function addTo(tenant: Tenant, contact: string, { points, links }: ContactChange) {
  const added: Pick<ContactBefore, 'points' | 'links'> = { points: [], links: [] };
  for (const point of points) {
    const { id } = requireRow(await tenant.row(pointStore.insert, { contact, ...point, limit: MAX_POINTS }));
    added.points.push(id);
  }
  for (const link of links) {
    const { id } = requireRow(await tenant.row(linkStore.insert, { contact, ...link, limit: MAX_LINKS }));
    added.links.push(id);
  }
  return added;
}

async function setRole(tenant: Tenant, contact: string, { id, role }: { id: number; role: string | null }) {
  const parameters = patchParameters<LinkUpdate>(LINK_CHANGEABLE, { role });
  requireRow(await tenant.row(linkStore.update, { ...parameters, contact, id }));
}

async function etagOf(tenant: Tenant, id: string): Promise<string> {
  return requireRow(await tenant.row(findContact, { id })).etag;
}
