import { hasValidCheckDigit } from '../check-digit.ts';
import { NOT_STATED, type Unit } from '../register.ts';

const TEMPERS = 'BLID DJERV FLINK GLAD KLOK LUN MODIG RASK ROLIG SNILL STOLT'.split(' ');
const ANIMALS = 'BJØRN ELG GAUPE HARE JERV LUNDE MÅR ØRN OTER REV SEL ULV ÆRFUGL'.split(' ');

/** Trades with the industry code they are registered under. */
const TRADES = [
  ['BAKERI', '10.710'],
  ['BYGG', '41.000'],
  ['DATA', '62.100'],
  ['EIENDOM', '68.200'],
  ['FISK', '03.110'],
  ['FRAKT', '49.410'],
  ['KONSULT', '70.200'],
  ['REGNSKAP', '69.202'],
  ['RØR', '43.221'],
] as const;

/** Limited companies are the most common form. */
const FORMS = ['AS', 'AS', 'AS', 'AS', 'AS', 'ASA', 'DA', 'SA'];

/** Numbers that begin with this are those of generated companies. */
export const GENERATED_PREFIX = '32';

/**
 * The invented company with a number that begins with {@link GENERATED_PREFIX}. It depends on the number alone.
 */
export function generatedUnit(orgnr: string): Unit {
  const draw = drawer(Number(orgnr));
  const pick = <T>(choices: readonly T[]): T => choices[draw(0, choices.length - 1)]!;

  const [trade, nace_primary] = pick(TRADES);
  const org_form = pick(FORMS);
  const domain = `e${orgnr}.example`;
  return {
    ...NOT_STATED,
    orgnr,
    name: `${pick(TEMPERS)} ${pick(ANIMALS)} ${trade} ${orgnr.slice(2)} ${org_form}`,
    org_form,
    registered_at: new Temporal.PlainDate(draw(1995, 2025), draw(1, 12), draw(1, 28)).toString(),
    employees: pick([0, 0, 0, draw(5, 40), draw(40, 400)]),
    nace_primary,
    email_address: pick([null, `post@${domain}`]),
    // No Norwegian telephone number begins with 00, so this is nobody's.
    phone_number: pick([null, `00 00 ${orgnr.slice(4, 6)} ${orgnr.slice(6, 8)}`]),
    website_url: pick([null, null, `www.${domain}`]),
  };
}

/** The valid numbers of generated companies that begin with these digits, ascending. */
export function* generatedNumbers(digits: string): Generator<string> {
  const start = digits.length > GENERATED_PREFIX.length ? digits : GENERATED_PREFIX;
  if (!start.startsWith(digits) || !start.startsWith(GENERATED_PREFIX)) return;
  for (let number = Number(start.padEnd(9, '0')); `${number}`.startsWith(start); number += 1) {
    if (hasValidCheckDigit(`${number}`)) yield `${number}`;
  }
}

/** Pseudo-random whole numbers between two limits, both included, that depend on the seed alone (mulberry32). */
export function drawer(seed: number): (lowest: number, highest: number) => number {
  let state = seed;
  return (lowest, highest) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    const fraction = ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    return lowest + Math.floor(fraction * (highest - lowest + 1));
  };
}
