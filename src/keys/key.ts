import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX = 'kb_';
const ID_LENGTH = 12;
/** 28 characters of base 62 hold 166 bits. */
const SECRET_LENGTH = 28;
const CHECKSUM_LENGTH = 6;
const KEY_FORMAT = new RegExp(`^${PREFIX}[0-9A-Za-z]{${ID_LENGTH + SECRET_LENGTH + CHECKSUM_LENGTH}}$`);

/** A new key, `kb_` + public id + secret + checksum. The token is shown once and never stored. */
export function newKey(): { id: string; token: string } {
  const id = randomText(ID_LENGTH);
  const unchecked = PREFIX + id + randomText(SECRET_LENGTH);
  return { id, token: unchecked + checksum(unchecked) };
}

/** The public id in a token; undefined for text that cannot be a key, which needs no look-up. */
export function idOf(token: string): string | undefined {
  if (!KEY_FORMAT.test(token)) return undefined;
  const end = token.length - CHECKSUM_LENGTH;
  if (checksum(token.slice(0, end)) !== token.slice(end)) return undefined;
  return token.slice(PREFIX.length, PREFIX.length + ID_LENGTH);
}

/** All that is stored of a key or another random secret: with 166 random bits or more it needs no slow hash. */
export function digestOf(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  for (let place = 0; place < CHECKSUM_LENGTH; place++) {
    digits = ALPHABET[rest % 62] + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

function randomText(length: number): string {
  return Array.from({ length }, () => ALPHABET[randomInt(62)]).join('');
}
