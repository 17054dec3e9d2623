import { patchParameters } from '../db/columns.ts';
import type { Tenant } from '../db/tenant.ts';
import { found, invalidReference, preconditionFailed, Problem } from '../http/problem.ts';
import { faultOfMerge, planMerge, type MergePlan, type Whole } from './merge-plan.ts';
import {
  countMerged,
  dropLinks,
  dropPoints,
  lockTwoContacts,
  moveLinks,
  movePoints,
  retireMerged,
} from './merge-store.ts';
import { groupByContact } from './owned.ts';
import {
  CONTACT_CHANGEABLE,
  LINK_CHANGEABLE,
  POINT_CHANGEABLE,
  type ContactUpdate,
  type LinkUpdate,
  type PointUpdate,
} from './schema.ts';
import { findContact, linkStore, pointStore, updateContact, type StoredContact } from './store.ts';

type Pair = { contact: string; other: string };
type Both = { contact: StoredContact & Whole; other: StoredContact & Whole };

/**
 * Gives everything of another contact to this one and removes the other, in one transaction.
 * @param seen the ETags that the caller has read; undefined for any
 * @throws {Problem} not_found, invalid_reference, precondition_failed, limit_reached
 */
export function merge(
  tenant: Tenant,
  pair: Pair,
  seen: { [Which in keyof Pair]: string | undefined },
): Promise<StoredContact> {
  return tenant.transaction(async (transaction) => {
    const locked = await transaction.rows(lockTwoContacts, pair);
    const find = (id: string) => locked.find((row) => row.id === id);
    const contact = found(find(pair.contact), `Contact ${pair.contact}`);
    const other = find(pair.other);
    if (!other)
      throw invalidReference([{ field: 'other_id', message: 'is not a contact in this workspace' }]);
    const both = await withOwned(transaction, { contact, other });
    for (const which of ['contact', 'other'] as const) {
      if (seen[which] !== undefined && seen[which] !== both[which].etag)
        throw preconditionFailed(`Contact ${pair[which]}`);
    }
    const plan = planWithinLimits(both);
    await carryOut(transaction, pair, plan);
    const merged = await transaction.row(countMerged, {
      contact: pair.contact,
      point_count: both.contact.points.length + plan.moved.points.length,
      link_count: both.contact.links.length + plan.moved.links.length,
    });
    await transaction.row(retireMerged, pair);
    return merged!;
  });
}

/** The result that a merge would have now. @throws {Problem} not_found, limit_reached */
export async function previewMerge(tenant: Tenant, pair: Pair): Promise<Both & { plan: MergePlan }> {
  const [contact, other] = await Promise.all([
    tenant.row(findContact, { id: pair.contact }),
    tenant.row(findContact, { id: pair.other }),
  ]);
  const both = await withOwned(tenant, {
    contact: found(contact, `Contact ${pair.contact}`),
    other: found(other, `Contact ${pair.other}`),
  });
  return { ...both, plan: planWithinLimits(both) };
}

async function withOwned(
  tenant: Tenant,
  { contact, other }: { [Which in keyof Pair]: StoredContact },
): Promise<Both> {
  const contacts = [contact.id, other.id];
  const points = await groupByContact(tenant.rows(pointStore.listOf, { contacts }));
  const links = await groupByContact(tenant.rows(linkStore.listOf, { contacts }));
  const whole = (row: StoredContact) => ({
    ...row,
    points: points.get(row.id) ?? [],
    links: links.get(row.id) ?? [],
  });
  return { contact: whole(contact), other: whole(other) };
}

/** @throws {Problem} limit_reached */
function planWithinLimits({ contact, other }: Both): MergePlan {
  const plan = planMerge(contact, other);
  const fault = faultOfMerge(contact, plan);
  if (fault === undefined) return plan;
  throw new Problem('limit_reached', `Merged, the contact would have ${fault}, the most that it can have`);
}

/** In the order of the change log: first what the other owns, then the contact, and the other last. */
async function carryOut(tenant: Tenant, pair: Pair, { moved, dropped, labels, roles, ...fields }: MergePlan) {
  const some = (rows: readonly { id: number }[]) => ({ ...pair, ids: rows.map(({ id }) => id) });
  if (moved.points.length > 0) await tenant.row(movePoints, some(moved.points));
  if (dropped.points.length > 0) await tenant.row(dropPoints, some(dropped.points));
  for (const { id, label } of labels) {
    const change = patchParameters<PointUpdate>(POINT_CHANGEABLE, { label });
    await tenant.row(pointStore.update, { ...change, contact: pair.contact, id });
  }
  if (moved.links.length > 0) await tenant.row(moveLinks, some(moved.links));
  if (dropped.links.length > 0) await tenant.row(dropLinks, some(dropped.links));
  for (const { id, role } of roles) {
    const change = patchParameters<LinkUpdate>(LINK_CHANGEABLE, { role });
    await tenant.row(linkStore.update, { ...change, contact: pair.contact, id });
  }
  const change = patchParameters<ContactUpdate>(CONTACT_CHANGEABLE, fields);
  await tenant.row(updateContact, { ...change, id: pair.contact, if_match: null });
}
