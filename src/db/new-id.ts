import { randomInt, randomUUIDv7 } from 'node:crypto';

let last = '';

/** A UUID of version 7 that sorts after all earlier ones from this process, also within one millisecond. */
export function newId(): string {
  const fresh = randomUUIDv7();
  last = fresh > last ? fresh : after(last);
  return last;
}

/** A later UUID of the same millisecond: the random bits at the end count up (RFC 9562, 6.2, method 2). */
function after(id: string): string {
  const tail = BigInt(`0x${id.slice(19).replace('-', '')}`) + 1n + BigInt(randomInt(2 ** 32));
  const digits = tail.toString(16);
  return `${id.slice(0, 19)}${digits.slice(0, 4)}-${digits.slice(4)}`;
}
