import type { Found } from '../companies/add.ts';
import type { Tenant } from '../db/tenant.ts';
import { isUuid } from '../http/fields.ts';
import type { Given, Reader } from './cells.ts';
import type { Result } from './schema.ts';
import { listPeople } from './match-store.ts';

/** What a row does, and how. `before` is what undoing needs, `etag` the state that the row leaves. */
export type Planned = Result & { write?: (tenant: Tenant) => Promise<Written> };

type Written = { resource_id: string; before: object | null; etag: string };

/** What is known outside of the transaction. */
export type Known = {
  /** The person who imports. */
  userId: string;
  /** Units that the register has, by number. */
  units: ReadonlyMap<string, Found>;
};

/** How one kind of file is read in. */
export type Importer = {
  /** Names of the resource that a row is about: two rows of one name are about the same. */
  namesOf: (row: Given) => string[];
  plan: (tenant: Tenant, rows: readonly Given[], known: Known) => Promise<Planned[]>;
};

/** Somebody else was faster: what was planned no longer holds, and nothing of it stays. */
export class Overtaken extends Error {}

/** The row that a statement gives back unless somebody was faster. @throws {Overtaken} */
export function unlessOvertaken<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new Overtaken();
  return row;
}

export function refused(line: number, reasons: Result['reasons']): Planned {
  return { line, outcome: 'refused', resource_id: null, fields: [], reasons };
}

export function unchanged(line: number, id: string): Planned {
  return { line, outcome: 'unchanged', resource_id: id, fields: [], reasons: [] };
}

/** Finds members by id, address or full name, as a file may name them. */
export async function openPeople(tenant: Tenant, rows: readonly Given[], field: string) {
  const isNeeded = rows.some(({ cells }) => cells.has(field));
  const people = isNeeded ? await tenant.rows(listPeople, {}) : [];
  /** @param current the person whom the row has already, who may have left the workspace */
  return (reader: Reader, current?: string | null): string | undefined => {
    const text = reader.raw(field)?.trim().toLowerCase();
    if (text === undefined) return undefined;
    if (text === current) return text;
    const found = people.filter(({ id, email, name }) => [id, email, name].includes(text));
    if (found.length === 1) return found[0]!.id;
    return reader.refuse(field, found.length > 1 ? 'ambiguous_user' : 'unknown_user');
  };
}

export function idsIn(rows: readonly Given[]): string[] {
  return rows.flatMap(({ cells }) => {
    const id = cells.get('id') ?? '';
    return isUuid(id) ? [id.toLowerCase()] : [];
  });
}
