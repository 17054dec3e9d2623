import { Readable } from 'node:stream';
import type { FoundUnit } from '../companies/add.ts';
import { findInRegister } from '../companies/ask-register.ts';
import { lockFound } from '../companies/store.ts';
import type { Tenant } from '../db/tenant.ts';
import type { WaitAside } from '../http/endpoint.ts';
import { isStorable } from '../http/fields.ts';
import { found, Problem } from '../http/problem.ts';
import { RegisterUnavailable, type Register } from '../register/register.ts';
import { byFields, type Given } from './cells.ts';
import { companyImporter, numbersIn, undoneAmong } from './companies.ts';
import { contactImporter } from './contacts.ts';
import type { Imported } from './fields.ts';
import { matchCompanies } from './match-store.ts';
import { offerImporter } from './offers.ts';
import {
  idIn,
  idsIn,
  planRefusal,
  requireRow,
  retryOvertaken,
  type Importer,
  type ReadBefore,
  type Planned,
} from './plan.ts';
import type { Import, Result, RowOfFile } from './schema.ts';
import { findImport, findRows, findRowsOf, insertRows, lockImport, lockNamed, lockNames } from './store.ts';

const IMPORTERS: Record<Imported, Importer> = {
  company: companyImporter,
  contact: contactImporter,
  offer: offerImporter,
};

/** Concurrent look-ups in the register, as many as the sync of the mirror makes. */
const LOOK_UPS = 4;

/** More unreadable records than this in one batch are a fault of the register, not of single records. */
const MAX_UNREADABLE = 5;

type ImportContext = { tenant: Tenant; userId: string; register: Register; waitAside: WaitAside };

type File = { resource: Imported; columns: readonly (string | null)[]; rows: readonly RowOfFile[] };

/**
 * The result that an import of each row would have; changes nothing.
 * @throws {Problem} register_unavailable, temporarily_unavailable
 */
export async function checkRows(
  context: ImportContext,
  { resource, columns, rows }: File,
): Promise<Result[]> {
  const given = rows.map((row) => byFields(resource, row, columns));
  const importer = IMPORTERS[resource];
  return retryOvertaken(async () => {
    const known = await findKnown(context, resource, given);
    const planned = await importer.plan(context.tenant, given, known);
    return withoutRepeats(importer, given, planned, new Map()).map(resultOf);
  });
}

/**
 * Imports rows, each completely or not at all, and stores the result of each. For rows that were imported before it
 * returns the stored result, so a batch can be sent again.
 * @throws {Problem} not_found, import_undone, register_unavailable, temporarily_unavailable
 */
export async function importRows(
  context: ImportContext,
  id: string,
  rows: readonly RowOfFile[],
): Promise<Result[]> {
  const { tenant } = context;
  const begun = found(await tenant.row(findImport, { id }), `Import ${id}`);
  const { resource, columns } = begun;
  const given = rows.map((row) => byFields(resource, row, columns));
  return retryOvertaken(async () => {
    const known = await findKnown(context, resource, given);
    return tenant.transaction((transaction) => writeRows(transaction, begun, given, known));
  });
}

async function writeRows(
  tenant: Tenant,
  { id, resource }: Import,
  given: readonly Given[],
  known: ReadBefore,
): Promise<Result[]> {
  const importer = IMPORTERS[resource];
  const locked = found(await tenant.row(lockImport, { id }), `Import ${id}`);
  if (locked.undone_at !== null) {
    throw new Problem('import_undone', 'The import was undone; it accepts no more rows');
  }
  const lines = given.map(({ line }) => line);
  const before = await tenant.rows(findRows, { id, lines });
  const done = new Set(before.map(({ line }) => line));
  const fresh = given.filter(({ line }) => !done.has(line));
  if (fresh.length === 0) return before;
  // Rows with text that cannot be stored are refused, so their names need no lock.
  const names = fresh.flatMap((row) => [...importer.namesOf(row), ...importer.namesWithoutId(row)]);
  await tenant.row(lockNames, { names: names.filter(isStorable) });
  const orgnrs = importer.companiesIn(fresh);
  if (orgnrs.length > 0) await tenant.rows(lockNamed, { orgnrs });
  const plans = await importer.plan(tenant, fresh, known);
  const ids = plans.flatMap(({ resource_id }) => resource_id ?? []);
  const earlier = await tenant.rows(findRowsOf, { id, ids });
  const seen = new Map(earlier.map(({ resource_id, line }) => [resource_id, line]));
  const planned = withoutRepeats(importer, fresh, plans, seen);
  const written: object[] = [];
  // Two transactions that lock the same rows in the same order do not deadlock. Organisation numbers come first, as in
  // a sync of the register: all workspaces share them.
  for (const lookUp of inOrder(
    planned.flatMap((plan) => plan.lookUp ?? []),
    ({ orgnr }) => orgnr,
  )) {
    requireRow(await tenant.row(lockFound, lookUp));
  }
  for (const plan of inOrder(planned, ({ resource_id }) => String(resource_id))) {
    written.push({ ...resultOf(plan), ...(await plan.write?.(tenant)) });
  }
  await tenant.row(insertRows, { id, rows: JSON.stringify(written) });
  return [...before, ...planned.map(resultOf)].toSorted((a, b) => a.line - b.line);
}

function inOrder<Item>(items: readonly Item[], by: (item: Item) => string): Item[] {
  return items.toSorted((a, b) => (by(a) < by(b) ? -1 : 1));
}

type Numbered = Planned & Pick<Result, 'line'>;

/**
 * Rejects rows about the same resource as an earlier row of the file: two that differ would overwrite each other in
 * each import, so that a second import of the file would always change something.
 * @param seen lines of earlier rows, by the id of their resource
 */
function withoutRepeats(
  { namesOf, namesWithoutId }: Importer,
  given: readonly Given[],
  plans: readonly Planned[],
  seen: Map<string, number>,
): Numbered[] {
  const seenWithId = new Map<string, number>();
  return plans.map((plan, index) => {
    const row = given[index]!;
    const { line } = row;
    if (plan.outcome === 'refused') return { line, ...plan };
    const names = [...namesOf(row), ...(plan.resource_id === null ? [] : [plan.resource_id])];
    const others = namesWithoutId(row);
    const isKnown = plan.outcome !== 'created' && plan.resource_id === idIn(row);
    const earlier = [
      ...names.map((name) => seen.get(name) ?? seenWithId.get(name)),
      // Contacts that the workspace knows by id may share an address, and offers a title.
      ...(isKnown ? [] : others.map((name) => seen.get(name))),
    ].find((before) => before !== undefined);
    if (earlier !== undefined) {
      return { line, ...planRefusal([{ field: null, code: 'repeated', line: earlier }]) };
    }
    for (const name of names) seen.set(name, line);
    for (const name of others) seenWithId.set(name, line);
    return { line, ...plan };
  });
}

/**
 * Looks up in the register, outside of any transaction, the companies that the workspace does not have, and those that
 * a row would restore.
 */
async function findKnown(
  context: ImportContext,
  resource: Imported,
  rows: readonly Given[],
): Promise<ReadBefore> {
  const { tenant, userId, register, waitAside } = context;
  const units = new Map<string, FoundUnit>();
  const unreadable = new Set<string>();
  if (resource !== 'company') return { userId, units, unreadable, lookedUp: new Set() };
  const orgnrs = numbersIn(rows, 'orgnr');
  const companies = await tenant.rows(matchCompanies, { orgnrs, ids: idsIn(rows) });
  const undone = await undoneAmong(tenant, companies);
  const kept = companies.filter((company) => !undone.has(company)).map(({ orgnr }) => orgnr);
  const restored = undone.values().map(({ orgnr }) => orgnr);
  const lookedUp = new Set([...orgnrs, ...restored]).difference(new Set(kept));
  if (lookedUp.size === 0) return { userId, units, unreadable, lookedUp };
  await waitAside(() =>
    Readable.from(lookedUp).forEach(
      async (orgnr: string) => {
        try {
          const answer = await findInRegister(register, orgnr);
          if (answer.outcome === 'found') units.set(orgnr, answer);
        } catch (error) {
          if (!isOfUnit(error) || unreadable.size === MAX_UNREADABLE) throw error;
          unreadable.add(orgnr);
        }
      },
      { concurrency: LOOK_UPS },
    ),
  );
  return { userId, units, unreadable, lookedUp };
}

function isOfUnit(error: unknown): boolean {
  return (
    error instanceof Problem && error.cause instanceof RegisterUnavailable && error.cause.fault === 'unit'
  );
}

function resultOf({ write: _write, lookUp: _lookUp, ...result }: Numbered): Result {
  return result;
}
