import { isUtf8 } from 'node:buffer';
import { printParseErrorCode, visit, type ParseErrorCode } from 'jsonc-parser';
import { invalidRequest, Problem } from './problem.ts';

/** Limits of a body ("Limits" of the guide), checked before it is parsed. */
export const BODY_LIMITS = { bytes: 256 * 1024, depth: 32, members: 1_000 };

const BYTE_ORDER_MARK = '\uFEFF';

/**
 * Parses a request body: one JSON object in UTF-8, within the limits. A number that JavaScript would round becomes NaN,
 * which every schema rejects.
 * @returns the object, and its fields that are given more than once: JSON.parse keeps only the last of each
 * @throws {Problem} `malformed_json` with the position of the error; `invalid_request` for an exceeded limit
 */
export function parseJsonBody(bytes: Buffer): { body: Record<string, unknown>; repeated: string[] } {
  if (!isUtf8(bytes)) throw new Problem('malformed_json', 'The body is not valid UTF-8');
  const source = bytes.toString('utf8');
  if (source.startsWith(BYTE_ORDER_MARK)) {
    throw new Problem('malformed_json', 'The body begins with a byte order mark (U+FEFF); send it without');
  }
  const { fields, hasRounded } = inspect(source);
  const value = parse(source, hasRounded);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Problem('malformed_json', 'The body must be a JSON object');
  }
  const seen = new Set<string>();
  const repeated = new Set(fields.filter((field) => seen.size === seen.add(field).size));
  return { body: value as Record<string, unknown>, repeated: [...repeated] };
}

/** The error for an empty body, in an operation that takes a body. */
export function emptyBody(): Problem {
  return new Problem('malformed_json', 'The body is empty; send a JSON object');
}

/**
 * Scans the text once, up to the first syntax error or exceeded limit.
 * @returns the top-level names in order, and whether JSON.parse would round a number
 */
function inspect(source: string): { fields: string[]; hasRounded: boolean } {
  const fields: string[] = [];
  let hasRounded = false;
  let depth = 0;
  let members = 0;
  let commas = 0;
  const enter = () => {
    if (++depth > BODY_LIMITS.depth) throw tooDeep(fields.at(-1));
  };
  const leave = () => {
    depth--;
  };
  visit(
    source,
    {
      onObjectBegin: enter,
      onObjectEnd: leave,
      onArrayBegin: enter,
      onArrayEnd: leave,
      onObjectProperty(name) {
        if (++members > BODY_LIMITS.members) throw tooManyMembers();
        if (depth === 1) fields.push(name);
      },
      onLiteralValue(value: unknown, offset, length) {
        hasRounded ||= typeof value === 'number' && isRounded(source.slice(offset, offset + length), value);
      },
      onSeparator(character) {
        // Elements of arrays count as members do.
        if (character === ',' && ++commas > BODY_LIMITS.members) throw tooManyMembers();
      },
      onError(code, offset, length, line, column) {
        const error = describeError(code, offset + length < source.length);
        throw malformed(`${error} at line ${line + 1}, column ${column + 1}`);
      },
    },
    { disallowComments: true },
  );
  return { fields, hasRounded };
}

/** A double holds every whole number of 15 digits. */
const EXACT_INTEGER = /^-?\d{1,15}$/;
/** Longer numbers are not examined, but treated as rounded. */
const MAX_NUMBER_LENGTH = 64;

/** Whether JSON.parse would change the number into another whole number. The schema checks all other numbers. */
function isRounded(number: string, value: number): boolean {
  if (EXACT_INTEGER.test(number)) return false;
  if (!Number.isSafeInteger(value)) return false;
  if (number.length > MAX_NUMBER_LENGTH) return true;
  const [, integer = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(number) ?? [];
  const digits = (integer + fraction).replace(/^0+/, '');
  if (digits === '') return false;
  const significant = digits.replace(/0+$/, '');
  const zeros = Number(exponent) - fraction.length + digits.length - significant.length;
  // A safe integer has at most 16 digits, so the string stays short.
  return zeros < 0 || significant + '0'.repeat(zeros) !== String(Math.abs(value));
}

/** With a reviver, JSON.parse takes many times as long. */
function parse(source: string, hasRounded: boolean): unknown {
  try {
    if (!hasRounded) return JSON.parse(source);
    return JSON.parse(source, roundedToNaN as Parameters<typeof JSON.parse>[1]);
  } catch (cause) {
    throw malformed('unexpected character', cause);
  }
}

/** A reviver; TypeScript does not know its third argument yet, which holds the value as written. */
function roundedToNaN(_key: string, value: unknown, { source }: { source: string }): unknown {
  return typeof value === 'number' && isRounded(source, value) ? NaN : value;
}

function tooDeep(field: string | undefined): Problem {
  const message = `must not be nested more than ${BODY_LIMITS.depth} levels deep`;
  return field === undefined
    ? new Problem('invalid_request', `The body ${message}`)
    : invalidRequest([{ field, message }]);
}

function tooManyMembers(): Problem {
  return new Problem('invalid_request', `The body has more than ${BODY_LIMITS.members} members`);
}

function malformed(error: string, cause?: unknown): Problem {
  return new Problem('malformed_json', `The body is not valid JSON: ${error}`, { cause });
}

/** @param isInside whether text follows the invalid token */
function describeError(code: ParseErrorCode, isInside: boolean): string {
  const name = printParseErrorCode(code);
  if (name === 'UnexpectedEndOfString' && isInside) return 'line break in a string; write \\n';
  return ERRORS[name] ?? 'unexpected character';
}

const ERRORS: Record<string, string> = {
  InvalidSymbol: 'neither text in double quotes nor another value',
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
