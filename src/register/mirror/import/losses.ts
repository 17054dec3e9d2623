import type { Client } from 'pg';
import {
  KINDS,
  NOT_STATED,
  OPTIONAL_FIELDS,
  PLURALS,
  type Kind,
  type OptionalField,
} from '../../register.ts';
import { KIND } from '../units.ts';
import { ImportRefused } from './source.ts';
import { NEXT } from './table.ts';

/** The files must hold this share of the units in service. */
const MIN_UNITS = 0.9;

/** The share of units that state a field must not fall below this part of the share in service. */
const MIN_SHARE = 0.75;

/** A field that fewer units in service state is not compared. */
const MIN_STATED = 20;

/** A mirror with fewer units than this part of those in the files was filled by look-ups: shares are not compared. */
const MIN_COMPARABLE = 0.5;

/**
 * The least share of a whole list that states a field, also in a first import: about a tenth of what was seen in 2026.
 * Contact fields have no floor, because many units leave them out.
 */
const FLOORS: Partial<Record<OptionalField, number>> = { employees: 0.01, nace_primary: 0.5 };

/** Floors apply to lists of at least this many units. */
const MIN_FOR_FLOORS = 100;

type Counts = { count: number } & Record<OptionalField, number>;

const NONE = { count: 0, ...Object.fromEntries(OPTIONAL_FIELDS.map((field) => [field, 0])) } as Counts;

const ADVICE =
  'Download the files again on another day. If the register really has changed so much, import with --accept-loss';

/**
 * Compares the new table with the one in service.
 * @param kinds that the files hold
 * @returns how many units of each kind the files hold, each number counted once
 * @throws {ImportRefused} when a kind has lost units or values, unless `acceptLoss`
 */
export async function checkLosses(
  client: Client,
  kinds: readonly Kind[],
  acceptLoss: boolean,
): Promise<Record<Kind, number>> {
  const [former, next] = [await countUnits(client, 'register_units'), await countUnits(client, NEXT)];
  for (const kind of acceptLoss ? [] : kinds) {
    const loss = findLoss(PLURALS[kind], former[kind], next[kind]);
    if (loss !== undefined) throw new ImportRefused(`${loss}. ${ADVICE}`);
  }
  return { unit: next.unit.count, branch: next.branch.count };
}

function findLoss(plural: string, former: Counts, next: Counts): string | undefined {
  if (next.count < former.count * MIN_UNITS) {
    return `The files hold ${next.count} ${plural}, the mirror in service ${former.count}: more than a tenth would be lost`;
  }
  const isComparable = former.count >= next.count * MIN_COMPARABLE;
  for (const field of OPTIONAL_FIELDS) {
    const [before, now] = [former[field] / former.count, next[field] / next.count];
    const stated = `${field} is stated for ${percent(now)} of the ${plural} in the files`;
    if (isComparable && former[field] >= MIN_STATED && now < before * MIN_SHARE) {
      return `${stated} and for ${percent(before)} of those in service: more than a quarter would be lost`;
    }
    const floor = FLOORS[field] ?? 0;
    if (next.count >= MIN_FOR_FLOORS && now < floor) {
      return `${stated}, where at least ${percent(floor)} are expected: the register seems to have changed its format`;
    }
  }
  return undefined;
}

async function countUnits(client: Client, table: string): Promise<Record<Kind, Counts>> {
  const stated = OPTIONAL_FIELDS.map((field) => {
    const value = client.escapeLiteral(String(NOT_STATED[field]));
    const notStated = NOT_STATED[field] === null ? 'null' : value;
    return `(count(*) filter (where ${field} is distinct from ${notStated}))::integer as ${field}`;
  });
  const { rows } = await client.query<Counts & { kind: Kind }>(
    `select ${KIND} as kind, count(*)::integer as count, ${stated.join(', ')}
     from ${table} where deleted_on is null group by is_branch`,
  );
  const countsOf = (kind: Kind) => rows.find((row) => row.kind === kind) ?? NONE;
  return Object.fromEntries(KINDS.map((kind) => [kind, countsOf(kind)])) as Record<Kind, Counts>;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(1)} %`;
}
