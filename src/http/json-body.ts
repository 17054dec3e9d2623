import { isUtf8 } from 'node:buffer';
import { Problem } from './problem.ts';

/**
 * Reads a request body: one JSON object in UTF-8, no member named twice.
 * @throws {Problem} `malformed_json`; `invalid_request` naming the members given twice
 */
export function parseJsonBody(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) throw emptyBody();
  if (!isUtf8(bytes)) throw new Problem('malformed_json', 'The body is not valid UTF-8');
  const source = bytes.toString('utf8');
  const value = parse(source);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('malformed_json', 'The body must be a JSON object');
  }
  refuseRepeated(source);
  return value as Record<string, unknown>;
}

/** Also for a request without any body, which reaches no parser. */
export function emptyBody(): Problem {
  return new Problem('malformed_json', 'The body is empty; send a JSON object');
}

function parse(source: string): unknown {
  try {
    return JSON.parse(source);
  } catch (cause) {
    throw new Problem('malformed_json', 'The body is not valid JSON', { cause });
  }
}

/** JSON.parse keeps the last of two members with one name; a caller that sends both must hear of it. */
function refuseRepeated(source: string): void {
  const seen = new Set<string>();
  const repeated = new Set<string>();
  for (const name of memberNames(source)) (seen.has(name) ? repeated : seen).add(name);
  if (repeated.size === 0) return;
  const details = [...repeated].map((field) => ({ field, message: 'must be given once' }));
  throw new Problem('invalid_request', `The body gives a field twice: ${[...repeated].join(', ')}`, {
    details,
  });
}

/** Names of the outermost object's members, in order, of text that is known to be valid JSON. */
function* memberNames(source: string): Generator<string> {
  let depth = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < source.length; at++) {
    const character = source.charCodeAt(at);
    if (character === QUOTE) {
      start = at;
      while (source.charCodeAt(++at) !== QUOTE) if (source.charCodeAt(at) === BACKSLASH) at++;
      end = at + 1;
    } else if (character === OPEN_BRACE || character === OPEN_BRACKET) depth++;
    else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) depth--;
    else if (character === COLON && depth === 1) yield JSON.parse(source.slice(start, end)) as string;
  }
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
