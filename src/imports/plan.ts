import type { FoundUnit } from '../companies/add.ts';
import type { Tenant } from '../db/tenant.ts';
import { isUuid } from '../http/fields.ts';
import { Problem } from '../http/problem.ts';
import type { Given, Reader } from './cells.ts';
import type { Result } from './schema.ts';
import { listPeople } from './match-store.ts';

/** What a row will change, and how. `lookUp`: the look-up in the register of a company that it creates or restores. */
export type Planned = Omit<Result, 'line'> & { write?: Write; lookUp?: { orgnr: string; as_of: string } };

/** `before` is what undoing needs, `etag` the state after the change. */
type Write = (tenant: Tenant) => Promise<{ before: object | null; etag: string }>;

/** What was read before the transaction. */
export type ReadBefore = {
  /** The person who imports. */
  userId: string;
  /** Units that the register has, by number. */
  units: ReadonlyMap<string, FoundUnit>;
  /** Numbers whose record in the register cannot be read. */
  unreadable: ReadonlySet<string>;
  /** The numbers that were looked up. */
  lookedUp: ReadonlySet<string>;
};

/** How the rows of one resource are imported. */
export type Importer = {
  /** Names that identify the resource of a row: two rows that share one are about the same resource. */
  namesOf: (row: Given) => string[];
  /** The names that a row would have without its id: rows with and without an id are the same if they share one. */
  namesWithoutId: (row: Given) => string[];
  /** Organisation numbers of companies that rows refer to. */
  companiesIn: (rows: readonly Given[]) => string[];
  plan: (tenant: Tenant, rows: readonly Given[], known: ReadBefore) => Promise<Planned[]>;
};

/** How many times rows are planned if concurrent changes keep getting in the way. */
const MAX_ATTEMPTS = 3;

/** A concurrent change has made the plan invalid; the transaction is rolled back. */
export class Overtaken extends Error {}

/** Runs `work` again after a concurrent change. @throws {Problem} temporarily_unavailable */
export async function retryOvertaken<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Overtaken)) throw error;
    }
  }
  throw new Problem('temporarily_unavailable', 'Others are changing the same resources; try again', {
    headers: { 'retry-after': '1' },
  });
}

/** The row of a statement, which has none after a concurrent change. @throws {Overtaken} */
export function requireRow<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Overtaken();
  return row;
}

export function planRefusal(reasons: Result['reasons']): Planned {
  return { outcome: 'refused', resource_id: null, fields: [], reasons };
}

export function planCreation(id: string, fields: string[], write: Write): Planned {
  return { outcome: 'created', resource_id: id, fields, reasons: [], write };
}

/** @param fields those that differ; without any, the resource stays as it is */
export function planUpdate(id: string, fields: string[], write: Write): Planned {
  if (fields.length === 0) return { outcome: 'unchanged', resource_id: id, fields, reasons: [] };
  return { outcome: 'updated', resource_id: id, fields, reasons: [], write };
}

/** Finds the members that a file names by id, email address or full name. */
export async function loadPersonFinder(tenant: Tenant, rows: readonly Given[], field: string) {
  const isNeeded = rows.some(({ cells }) => cells.has(field));
  const people = isNeeded ? await tenant.rows(listPeople, {}) : [];
  /** @param current the person that the resource has now, who may have left the workspace */
  return (reader: Reader, current?: string | null): string | undefined => {
    const text = reader.raw(field)?.trim().toLowerCase();
    if (text === undefined) return undefined;
    if (text === current) return text;
    // Compared here, not in the database, whose locale may know the lower case of ASCII only.
    const found = people.filter(({ id, email, name }) =>
      [id, email, name].some((one) => one.toLowerCase() === text),
    );
    if (found.length === 1) return found[0]!.id;
    return reader.refuse(field, found.length > 1 ? 'ambiguous_user' : 'unknown_user');
  };
}

export function idIn(row: Given): string | undefined {
  return row.cells.get('id')?.toLowerCase();
}

export function idsIn(rows: readonly Given[]): string[] {
  return rows.flatMap((row) => idIn(row) ?? []).filter(isUuid);
}
