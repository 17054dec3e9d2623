import { setTimeout as pause } from 'node:timers/promises';
import sandboxUnits from './units.json' with { type: 'json' };
import { hasValidCheckDigit } from '../check-digit.ts';
import {
  dissolvedAnswer,
  KINDS,
  kindOf,
  NOT_STATED,
  RegisterUnavailable,
  type Register,
  type RegisterAnswer,
  type Unit,
} from '../register.ts';
import { digitsOf, searchText, wordsOf } from '../search-text.ts';
import { generatedNumbers, GENERATED_PREFIX, generatedUnit } from './generated.ts';
import { TRAPS } from './traps.ts';

/** Real units as they were in the register when they were copied. */
export const REAL_UNITS: readonly Unit[] = sandboxUnits.units.map((unit) => ({ ...NOT_STATED, ...unit }));

/** Longer than a person expects, shorter than a client's time limit. */
const SLOW_ANSWER_MS = 3_000;

const RETRY_AFTER_SECONDS = 5;

/**
 * A register that needs no network: some fifty real companies, a generated company for every number of one block, and
 * trap numbers for every outcome of a look-up. docs/sandbox.md lists them.
 */
export function sandboxRegister({ slowAnswerMs = SLOW_ANSWER_MS } = {}): Register {
  const known = new Map<string, RegisterAnswer>([
    ...REAL_UNITS.map((unit) => [unit.orgnr, { outcome: 'found', unit }] as const),
    ...sandboxUnits.dissolved.map(({ on, ...unit }) => [unit.orgnr, dissolvedAnswer(unit, on)] as const),
  ]);

  async function find(orgnr: string): Promise<RegisterAnswer> {
    const trap = TRAPS.get(orgnr);
    if (trap?.outcome === 'unavailable') {
      throw new RegisterUnavailable('the sandbox simulates an unavailable register', RETRY_AFTER_SECONDS);
    }
    if (trap?.outcome === 'slow') {
      await pause(slowAnswerMs);
      return { outcome: 'found', unit: trap.unit };
    }
    if (trap) return trap;
    if (orgnr.startsWith(GENERATED_PREFIX)) return { outcome: 'found', unit: generatedUnit(orgnr) };
    return known.get(orgnr) ?? { outcome: 'unknown' };
  }

  /** A complete number is looked up, so that trap numbers work here too. */
  async function search(q: string, limit: number): Promise<Unit[]> {
    const digits = digitsOf(q);
    if (digits?.length === 9 && hasValidCheckDigit(digits)) {
      const answer = await find(digits);
      return answer.outcome === 'found' ? [answer.unit] : [];
    }
    const byNumber = digits === undefined ? [] : findByDigits(digits, limit);
    return [...new Set([...byNumber, ...findByWords(q)])].slice(0, limit);
  }

  return {
    title: 'sandbox register (REGISTER=sandbox)',
    find,
    search,
    async status() {
      return {
        source: 'sandbox',
        facts: { real_companies: sandboxUnits.units.length, test_numbers: TRAPS.size },
        gauges: {},
      };
    },
  };
}

/** The units that can be found by name. Generated units cannot: there are too many of them. */
const NAMED_UNITS: readonly Unit[] = [
  ...REAL_UNITS,
  ...TRAPS.values().flatMap((trap) =>
    trap.outcome === 'found' || trap.outcome === 'slow' ? [trap.unit] : [],
  ),
];

function findByDigits(digits: string, limit: number): Unit[] {
  const generated = generatedNumbers(digits).take(limit).map(generatedUnit);
  return [...NAMED_UNITS.filter(({ orgnr }) => orgnr.startsWith(digits)), ...generated];
}

/** Names that begin with `q` come first. Among them, and among the others, main units come before branches. */
function findByWords(q: string): Unit[] {
  const words = wordsOf(q);
  if (words.length === 0) return [];
  const rank = (unit: Unit): string => {
    const name = searchText(unit.name);
    return `${name.startsWith(words.join(' ')) ? 0 : 1} ${KINDS.indexOf(kindOf(unit))} ${name}`;
  };
  const fitting = NAMED_UNITS.filter(({ name }) =>
    words.every((word) => ` ${searchText(name)}`.includes(` ${word}`)),
  );
  return fitting.toSorted((one, other) => (rank(one) < rank(other) ? -1 : 1));
}
