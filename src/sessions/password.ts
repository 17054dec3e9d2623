import crypto, { randomBytes, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { bulkhead, isBulkheadRejectedError } from 'cockatiel';
import { z } from 'zod';
import { isStorable } from '../http/fields.ts';
import { breaks } from '../http/rule.ts';
import { overloaded } from '../http/problem.ts';

/** OWASP's parameters for argon2id: memory in KiB. */
const COST = { memory: 19_456, passes: 2, parallelism: 1 };
const SALT_BYTES = 16;
const HASH_BYTES = 32;

/** A hash takes a core for a while, and 19 MiB. The limits: how many are computed at once, and how many wait. */
const hashing = bulkhead(2, 30);

/** There is no rule about characters: only the length counts. */
const MIN_PASSWORD_LENGTH = 10;

/** A new password: at least 10 characters, any of them. */
export const newPassword = z
  .string()
  .min(MIN_PASSWORD_LENGTH, `must be at least ${MIN_PASSWORD_LENGTH} characters`)
  .max(255, 'must be at most 255 characters')
  .refine(isStorable, breaks('text', 'must not contain U+0000 or a lone surrogate'));

/** @returns the hash in the PHC string format. @throws {Problem} temporarily_unavailable when many wait already */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(SALT_BYTES);
  const { memory, passes, parallelism } = COST;
  const hash = await digest(password, salt, COST, HASH_BYTES);
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

/**
 * Whether a password has this hash. Takes as long without a hash, so that the time does not tell whether
 * an account exists.
 * @throws {Problem} temporarily_unavailable when many wait already
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, memory, passes, parallelism, salt, hash] = PHC_FORMAT.exec(stored ?? DUMMY_HASH)!;
  const cost = { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) };
  const wanted = Buffer.from(hash!, 'base64');
  const given = await digest(password, Buffer.from(salt!, 'base64'), cost, wanted.length);
  return timingSafeEqual(given, wanted) && stored !== null;
}

const PHC_FORMAT = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

const DUMMY_HASH = `$argon2id$v=19$m=${COST.memory},t=${COST.passes},p=${COST.parallelism}$${base64(Buffer.alloc(SALT_BYTES))}$${base64(Buffer.alloc(HASH_BYTES))}`;

async function digest(
  password: string,
  nonce: Buffer,
  cost: typeof COST,
  tagLength: number,
): Promise<Buffer> {
  // The same characters may be typed in several ways: one form of them is hashed.
  const message = password.normalize('NFKC');
  try {
    const compute = promisify(crypto.argon2);
    return await hashing.execute(() => compute('argon2id', { message, nonce, tagLength, ...cost }));
  } catch (error) {
    throw isBulkheadRejectedError(error) ? overloaded() : error;
  }
}

function base64(bytes: Buffer): string {
  return bytes.toString('base64').replace(/=+$/, '');
}
