import type { Format } from '../../words/format.ts';

/** An amount of this many kroner or more is written short where there is little room. */
const LONG = 100_000_000;

/** A sum as the service gives it, exact. */
export function wholeSum(format: Format, digits: string): string {
  return format.amount(BigInt(digits));
}

/** An amount that must fit a column. Callers give the whole amount as its title. */
export function shortAmount(format: Format, kroner: number | bigint): string {
  return kroner < LONG ? format.amount(kroner) : format.compactAmount(kroner);
}
