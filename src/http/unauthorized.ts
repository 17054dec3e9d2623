import { Problem } from './problem.ts';

const HOW = 'send Authorization: Bearer <API_KEY>';
const UNKNOWN = 'The API key is malformed, unknown, expired or revoked';
const PLACEHOLDER = /[<>{}$%]|^(?:(?:your|my|the)[_-]?)?(?:api[_-]?)?(?:key|token)$/i;

/** The error for a request without a valid key. It says what is wrong with the header without quoting it. */
export function unauthorized(header: string | undefined): Problem {
  return new Problem('unauthorized', describeHeader(header?.trim() ?? ''), {
    headers: { 'www-authenticate': 'Bearer' },
  });
}

function describeHeader(header: string): string {
  if (header === '') return `No API key; ${HOW}`;
  if (/^bearer\t/i.test(header)) return 'There is a tab after Bearer; put a space in its place';
  const [scheme = '', ...rest] = header.split(/ +/, 3);
  const [key = ''] = rest;
  if (scheme.toLowerCase() !== 'bearer') return describeScheme(scheme, rest.length);
  if (key === '') return `There is no key after Bearer; ${HOW}`;
  if (key.toLowerCase() === 'bearer') return 'Bearer occurs twice in the header; send it once';
  if (/^["'].*["']$/.test(key)) return 'The key is in quotes; remove them';
  return PLACEHOLDER.test(key) ? 'The header has a placeholder; put your key in its place' : UNKNOWN;
}

function describeScheme(scheme: string, partsAfter: number): string {
  if (partsAfter === 0) return `The header has the key alone; ${HOW}`;
  if (scheme.toLowerCase() === 'basic') return `Basic authentication is not supported; ${HOW}`;
  return `The header does not begin with Bearer; ${HOW}`;
}

/** The key of an Authorization header; undefined where it holds none. */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([\w~+/.-]+=*) *$/i.exec(header)?.[1];
}
