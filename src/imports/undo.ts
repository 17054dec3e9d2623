import { flagCompany } from '../companies/store.ts';
import { eraseContact, lockContact } from '../contacts/store.ts';
import type { Tenant } from '../db/tenant.ts';
import { found, Problem } from '../http/problem.ts';
import { findNamedPeople } from '../members/named.ts';
import { findOffer, offerDeletion } from '../offers/store.ts';
import type { OfferUpdate } from '../offers/schema.ts';
import { patchCompanyRow, undoneAmong, type CompanyBefore } from './companies.ts';
import type { Imported } from './fields.ts';
import { matchCompanies } from './match-store.ts';
import { patchOfferRow } from './offers.ts';
import { requireRow, retryOvertaken } from './plan.ts';
import type { Import } from './schema.ts';
import {
  beginUndo,
  countUndo,
  findImport,
  isCompanyUsed,
  listRowsToUndo,
  lockCompaniesToUndo,
  lockImport,
  lockUndone,
  setUndo,
  type RowToUndo,
} from './store.ts';
import { undoUpdate, type ContactBefore } from './write-contact.ts';

/** The most rows that one request undoes. */
const BATCH = 100;

/**
 * Undoes the next rows of an import, the last ones first. Resources changed since are kept, and listed as kept.
 * @throws {Problem} not_found, undo_expired, temporarily_unavailable
 */
export async function undoImport(tenant: Tenant, id: string): Promise<{ data: Import; remaining: number }> {
  found(await tenant.row(findImport, { id }), `Import ${id}`);
  const { deleted, ...undone } = await retryOvertaken(() =>
    tenant.transaction((transaction) => undoRows(transaction, id)),
  );
  if (deleted.length === 0) return undone;
  // Until the commit, requests could still use these companies.
  const data = await tenant.transaction((transaction) => keepUsed(transaction, id, deleted));
  return { ...undone, data };
}

/** @returns `deleted` are the rows whose companies it has deleted */
async function undoRows(tenant: Tenant, id: string) {
  const begun = await tenant.row(beginUndo, { id });
  if (!begun)
    throw new Problem('undo_expired', 'The import is more than a day old: it can no longer be undone');
  const batch = { id, limit: BATCH };
  if (begun.resource === 'company') await tenant.rows(lockCompaniesToUndo, batch);
  const rows = await tenant.rows(listRowsToUndo, batch);
  const counts = { undone: 0, kept: 0 };
  const deleted: RowToUndo[] = [];
  const named = await tenant.rows(findNamedPeople, { ids: rows.flatMap((row) => personBefore(row) ?? []) });
  const members = new Set(named.filter(({ is_member }) => is_member).map((person) => person.id));
  for (const row of rows) {
    const etag = mayUndo(row, members) ? await UNDO[begun.resource](tenant, row) : undefined;
    const undo = etag === undefined ? 'kept' : 'undone';
    await tenant.row(setUndo, { id, line: row.line, undo, etag: etag ?? null });
    counts[undo] += 1;
    if (begun.resource === 'company' && row.outcome === 'created' && undo === 'undone') deleted.push(row);
  }
  const data = (await tenant.row(countUndo, { id, ...counts }))!;
  const all = data.created_count + data.updated_count;
  return { data, remaining: all - data.undone_count - data.kept_count, deleted };
}

/** Restores those of the deleted companies that came into use meanwhile; their rows are then kept. */
async function keepUsed(tenant: Tenant, id: string, deleted: readonly RowToUndo[]): Promise<Import> {
  // Locks in the same order as undoing does.
  await tenant.row(lockImport, { id });
  const ids = deleted.map((row) => row.resource_id);
  await tenant.rows(lockUndone, { ids });
  let kept = 0;
  for (const company of await undoneAmong(tenant, await tenant.rows(matchCompanies, { orgnrs: [], ids }))) {
    if (!(await tenant.row(isCompanyUsed, { id: company.id }))?.is_used) continue;
    const flags = { is_deleted: false, with_deleted: true, if_match: [company.etag] } as const;
    await tenant.row(flagCompany, { orgnr: company.orgnr, ...flags });
    const { line } = deleted.find((row) => row.resource_id === company.id)!;
    await tenant.row(setUndo, { id, line, undo: 'kept', etag: null });
    kept += 1;
  }
  return (await tenant.row(countUndo, { id, undone: -kept, kept }))!;
}

/** False if the earlier values are deleted, or if undoing would give work back to somebody who has left. */
function mayUndo(row: RowToUndo, members: ReadonlySet<string>): boolean {
  if (row.outcome === 'updated' && row.before === null) return false;
  const person = personBefore(row);
  return !person || members.has(person);
}

/** Who had the work before the import, if it was given to another. */
function personBefore({ before }: RowToUndo): string | null | undefined {
  const { user_id, assigned_to } = (before ?? {}) as { user_id?: string; assigned_to?: string | null };
  return user_id ?? assigned_to;
}

/** Undoes one row. Returns the new ETag, null if the resource is gone, undefined if the row is kept. */
type UndoRow = (tenant: Tenant, row: RowToUndo) => Promise<string | null | undefined>;

const UNDO: Record<Imported, UndoRow> = {
  async company(tenant, { resource_id, outcome, etag, before }) {
    const [company] = await tenant.rows(matchCompanies, { orgnrs: [], ids: [resource_id] });
    if (company?.etag !== etag || company.is_deleted) return undefined;
    if (outcome === 'updated') {
      return (await patchCompanyRow(tenant, company, before as CompanyBefore)).etag;
    }
    if ((await tenant.row(isCompanyUsed, { id: resource_id }))?.is_used) return undefined;
    const flags = { orgnr: company.orgnr, is_deleted: true, if_match: [etag] };
    return requireRow(await tenant.row(flagCompany, flags)).etag;
  },
  async contact(tenant, { resource_id, outcome, etag, before }) {
    const locked = await tenant.row(lockContact, { id: resource_id });
    if (locked?.etag !== etag) return undefined;
    if (outcome === 'updated') return undoUpdate(tenant, resource_id, before as ContactBefore);
    requireRow(await tenant.row(eraseContact, { id: resource_id }));
    return null;
  },
  async offer(tenant, { resource_id, outcome, etag, before }) {
    const offer = await tenant.row(findOffer, { id: resource_id });
    if (offer?.etag !== etag) return undefined;
    if (outcome === 'updated') return (await patchOfferRow(tenant, offer, before as OfferUpdate)).etag;
    requireRow(await tenant.row(offerDeletion.delete, { id: resource_id, if_match: [etag] }));
    return null;
  },
};
