import type { Format } from '../../words/format.ts';

/** From this on, an amount is written short where there is little room. */
const LONG = 100_000_000;

/** A sum as the service gives it, exact. */
export function wholeSum(format: Format, digits: string): string {
  return format.amount(BigInt(digits));
}

/** An amount where it must fit a column; the whole one stands beside it for those who point or listen. */
export function shortAmount(format: Format, kroner: number | bigint): string {
  return kroner < LONG ? format.amount(kroner) : format.compactAmount(kroner);
}
