import { isUtf8 } from 'node:buffer';
import { printParseErrorCode, visit } from 'jsonc-parser';
import { invalidRequest, Problem } from './problem.ts';
import { scanJson } from './json-scan.ts';

/** Bounds of a body ("Limits" of the guide): a request that breaks one costs no more than reading it. */
export const BODY_LIMITS = { bytes: 256 * 1024, depth: 32, members: 1_000 };

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Reads a request body: one JSON object in UTF-8, within the bounds, no member named twice. A number that
 * JavaScript would round becomes NaN, which every schema refuses.
 * @throws {Problem} `malformed_json` with the place of the fault; `invalid_request` for a bound that is broken
 * or members that are given twice
 */
export function parseJsonBody(bytes: Buffer): Record<string, unknown> {
  if (bytes.length === 0) throw emptyBody();
  if (!isUtf8(bytes)) throw new Problem('malformed_json', 'The body is not valid UTF-8');
  const source = bytes.toString('utf8');
  if (source.startsWith(BYTE_ORDER_MARK)) {
    throw new Problem('malformed_json', 'The body begins with a byte order mark (U+FEFF); send it without');
  }
  const { depth, members, names, roundedNumbers } = scanJson(source, BODY_LIMITS);
  if (depth > BODY_LIMITS.depth) throw tooDeep(names.at(-1));
  if (members > BODY_LIMITS.members) {
    throw new Problem('invalid_request', `The body has more than ${BODY_LIMITS.members} members`);
  }
  const value = parse(source, roundedNumbers);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('malformed_json', 'The body must be a JSON object');
  }
  refuseRepeated(names);
  return value as Record<string, unknown>;
}

/** Also for a request without any body, which reaches no parser. */
export function emptyBody(): Problem {
  return new Problem('malformed_json', 'The body is empty; send a JSON object');
}

function tooDeep(field: string | undefined): Problem {
  const message = `must not be nested more than ${BODY_LIMITS.depth} levels deep`;
  return field === undefined
    ? new Problem('invalid_request', `The body ${message}`)
    : invalidRequest([{ field, message }]);
}

function parse(source: string, roundedNumbers: ReadonlySet<string>): unknown {
  try {
    return roundedNumbers.size === 0
      ? JSON.parse(source)
      : JSON.parse(source, refuseRounded(roundedNumbers) as (key: string, value: unknown) => unknown);
  } catch (cause) {
    throw malformed(faultIn(source), cause);
  }
}

/** TypeScript does not know the third argument yet: the text that a value was read from. */
function refuseRounded(rounded: ReadonlySet<string>) {
  return (_key: string, value: unknown, { source }: { source?: string }) =>
    source !== undefined && rounded.has(source) ? NaN : value;
}

const FAULTS: Record<string, string> = {
  InvalidNumberFormat: 'malformed number',
  PropertyNameExpected: 'property name in double quotes expected',
  ValueExpected: 'value expected',
  ColonExpected: 'colon expected',
  CommaExpected: 'comma expected',
  CloseBraceExpected: 'closing brace expected',
  CloseBracketExpected: 'closing bracket expected',
  EndOfFileExpected: 'nothing may follow the object',
  InvalidCommentToken: 'comments are not allowed',
  UnexpectedEndOfComment: 'comments are not allowed',
  UnexpectedEndOfString: 'string without its closing quote',
  InvalidUnicode: 'malformed \\u escape',
  InvalidEscapeCharacter: 'unknown escape in a string',
  InvalidCharacter: 'control character in a string; escape it',
};

/** The first fault of text that JSON.parse refuses; V8's own message does not always give its place. */
function faultIn(source: string): string {
  try {
    visit(
      source,
      {
        onError(code, offset, length, line, character) {
          const isBroken =
            printParseErrorCode(code) === 'UnexpectedEndOfString' && offset + length < source.length;
          const fault = isBroken ? 'line break in a string; write \\n' : FAULTS[printParseErrorCode(code)];
          throw new Fault(`${fault ?? 'unexpected character'} at line ${line + 1}, column ${character + 1}`);
        },
      },
      { disallowComments: true, allowTrailingComma: false },
    );
  } catch (error) {
    if (error instanceof Fault) return error.message;
    throw error;
  }
  return 'unexpected character';
}

/** Ends the visit: a text may hold a fault at every character. */
class Fault extends Error {}

function malformed(fault: string, cause: unknown): Problem {
  return new Problem('malformed_json', `The body is not valid JSON: ${fault}`, { cause });
}

/** JSON.parse keeps the last of two members with one name; a caller that sends both must hear of it. */
function refuseRepeated(names: readonly string[]): void {
  if (new Set(names).size === names.length) return;
  const seen = new Set<string>();
  const repeated = new Set(names.filter((name) => seen.size === seen.add(name).size));
  const details = [...repeated].map((field) => ({ field, message: 'must be given once' }));
  throw invalidRequest(details);
}
