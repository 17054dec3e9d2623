import type { Client } from 'pg';
import { KINDS, NOT_STATED, OPTIONAL_FIELDS, type Kind, type OptionalField } from '../../register.ts';
import { NEXT } from './next-table.ts';
import { ImportRefused } from './refused.ts';

/** Fewer units than this share of what the mirror in service holds is no register. */
const MIN_UNITS = 0.9;

/** The share of units that state a field must not fall below this part of what it is in service. */
const MIN_SHARE = 0.75;

/** Fewer units than this that state a field say nothing about it. */
const MIN_STATED = 20;

/** In service must be at least this part of the files: a few units that were looked up say nothing about a list. */
const MIN_COMPARABLE = 0.5;

/**
 * Of a whole list at least these shares state it, whatever was in service before: about a tenth of what was seen
 * in 2026. Many units have no contact details, so there is no floor for them.
 */
const FLOORS: Partial<Record<OptionalField, number>> = { employees: 0.01, nace_primary: 0.5 };

/** A list of fewer units is not the whole register, and floors do not hold for it. */
const MIN_FOR_FLOORS = 100;

type Counts = { count: number } & Record<OptionalField, number>;

const NONE = { count: 0, ...Object.fromEntries(OPTIONAL_FIELDS.map((field) => [field, 0])) } as Counts;
const PLURALS = { unit: 'units', branch: 'branches' };

const REALLY =
  'Fetch the files again on another day. Should the register really have changed so much, import with --accept-loss';

/**
 * Compares the new table with the mirror in service.
 * @param kinds which kinds the files hold
 * @returns how many of each kind the files hold, each number counted once
 * @throws {ImportRefused} when a kind has lost units or values, unless that is accepted
 */
export async function checkLosses(
  client: Client,
  kinds: readonly Kind[],
  acceptLoss: boolean,
): Promise<Record<Kind, number>> {
  const [former, next] = [await countsOf(client, 'register_units'), await countsOf(client, NEXT)];
  for (const kind of acceptLoss ? [] : kinds) refuseLoss(kind, former[kind], next[kind]);
  const held = (kind: Kind) => (kinds.includes(kind) ? next[kind].count : 0);
  return { unit: held('unit'), branch: held('branch') };
}

function refuseLoss(kind: Kind, former: Counts, next: Counts): void {
  const plural = PLURALS[kind];
  if (next.count < former.count * MIN_UNITS) {
    throw new ImportRefused(
      `The files hold ${next.count} ${plural}, the mirror in service ${former.count}: more than a tenth would be lost. ${REALLY}`,
    );
  }
  const isComparable = former.count >= next.count * MIN_COMPARABLE;
  for (const field of OPTIONAL_FIELDS) {
    const [before, now] = [former[field] / former.count, next[field] / next.count];
    if (isComparable && former[field] >= MIN_STATED && now < before * MIN_SHARE) {
      throw new ImportRefused(
        `${field} is stated for ${percent(now)} of the ${plural} in the files and for ${percent(before)} of those in service: more than a quarter would be lost. ${REALLY}`,
      );
    }
    const floor = FLOORS[field] ?? 0;
    if (next.count >= MIN_FOR_FLOORS && now < floor) {
      throw new ImportRefused(
        `${field} is stated for ${percent(now)} of the ${plural} in the files, where at least ${percent(floor)} are expected: the register seems to have changed its form. ${REALLY}`,
      );
    }
  }
}

async function countsOf(client: Client, table: string): Promise<Record<Kind, Counts>> {
  const stated = OPTIONAL_FIELDS.map(
    (field) =>
      `count(*) filter (where ${field} is distinct from ${literal(NOT_STATED[field])})::integer as ${field}`,
  );
  const { rows } = await client.query<Counts & { kind: Kind }>(
    `select case when is_branch then 'branch' else 'unit' end as kind, count(*)::integer as count, ${stated.join(', ')}
     from ${table} where deleted_on is null group by is_branch`,
  );
  return Object.fromEntries(
    KINDS.map((kind) => [kind, rows.find((row) => row.kind === kind) ?? NONE]),
  ) as Record<Kind, Counts>;
}

function literal(value: string | number | null): string {
  return typeof value === 'string' ? `'${value}'` : String(value);
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
