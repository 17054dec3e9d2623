import { setTimeout as pause } from 'node:timers/promises';
import sandboxUnits from './units.json' with { type: 'json' };
import {
  NOT_STATED,
  RegisterUnavailable,
  type Register,
  type RegisterAnswer,
  type Unit,
} from '../register.ts';
import { GENERATED_PREFIX, generatedUnit } from './generated.ts';
import { TRAPS, type Trap } from './traps.ts';

/** As they were in the register when they were copied. */
export const REAL_UNITS: readonly Unit[] = sandboxUnits.units.map((unit) => ({ ...NOT_STATED, ...unit }));

/** Longer than a person expects, shorter than a client's time limit. */
const SLOW_ANSWER_MS = 3_000;

const RETRY_AFTER_SECONDS = 5;

/**
 * A register that needs no network: some fifty real companies, a generated company for every number of one block, and
 * trap numbers with each outcome. docs/sandbox.md lists them.
 */
export function sandboxRegister(options: { slowAnswerMs?: number } = {}): Register {
  const known = new Map<string, RegisterAnswer>([
    ...REAL_UNITS.map((unit) => [unit.orgnr, { outcome: 'found', unit }] as const),
    ...sandboxUnits.deleted.map(({ orgnr, on }) => [orgnr, { outcome: 'deleted', on }] as const),
  ]);

  return {
    title: 'the sandbox register (REGISTER=sandbox)',
    async find(orgnr) {
      const trap = TRAPS.get(orgnr);
      if (trap) return play(trap, options.slowAnswerMs ?? SLOW_ANSWER_MS);
      if (orgnr.startsWith(GENERATED_PREFIX)) return { outcome: 'found', unit: generatedUnit(orgnr) };
      return known.get(orgnr) ?? { outcome: 'unknown' };
    },
    async status() {
      return {
        source: 'sandbox',
        facts: { real_companies: sandboxUnits.units.length, trap_numbers: TRAPS.size },
        gauges: {},
      };
    },
  };
}

async function play(trap: Trap, slowAnswerMs: number): Promise<RegisterAnswer> {
  switch (trap.outcome) {
    case 'unavailable':
      throw new RegisterUnavailable('the sandbox plays an unavailable register', RETRY_AFTER_SECONDS);
    case 'slow':
      await pause(slowAnswerMs);
      return { outcome: 'found', unit: trap.unit };
    default:
      return trap;
  }
}
