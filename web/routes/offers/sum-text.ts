import type { Format } from '../../words/format.ts';

/** Above this, a sum is written short where there is little room. */
const LONG = 100_000_000n;

/** A sum as the service gives it, exact. */
export function wholeSum(format: Format, digits: string): string {
  return format.amount(BigInt(digits));
}

/** The same where it must fit a column; the whole one stands beside it for those who point or listen. */
export function shortSum(format: Format, digits: string): string {
  const sum = BigInt(digits);
  return sum < LONG ? format.amount(sum) : format.compactAmount(sum);
}
