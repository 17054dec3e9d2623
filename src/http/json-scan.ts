/** The shape of a JSON text, found in one scan without parsing it. */
export type JsonShape = {
  /** Levels of objects and arrays. */
  depth: number;
  /** Members of all objects together, or commas where there are more of them: arrays count by their elements. */
  members: number;
  /** Names of the outermost object's members, in order. */
  names: string[];
  /** Numbers, as written, whose value JavaScript would change to another whole number. */
  roundedNumbers: Set<string>;
};

/**
 * Looks through a text that may not be JSON at all: what it finds is exact for valid JSON only. Stops where a
 * bound is broken.
 */
export function scanJson(source: string, bounds: { depth: number; members: number }): JsonShape {
  const shape: JsonShape = { depth: 0, members: 0, names: [], roundedNumbers: new Set() };
  let depth = 0;
  let colons = 0;
  let commas = 0;
  let start = 0;
  let end = 0;
  for (let at = 0; at < source.length; at++) {
    shape.members = Math.max(colons, commas);
    if (shape.depth > bounds.depth || shape.members > bounds.members) break;
    const character = source.charCodeAt(at);
    if (character === QUOTE) {
      start = at;
      end = at = endOfString(source, at);
    } else if (character === OPEN_BRACE || character === OPEN_BRACKET) {
      shape.depth = Math.max(shape.depth, ++depth);
    } else if (character === CLOSE_BRACE || character === CLOSE_BRACKET) {
      depth--;
    } else if (character === COLON) {
      colons++;
      if (depth === 1) shape.names.push(source.slice(start, end + 1));
    } else if (character === COMMA) {
      commas++;
    } else if (character === MINUS || (character >= ZERO && character <= NINE)) {
      const number = numberAt(source, at);
      // Not JSON; the parser that comes next says so.
      if (number === '-') break;
      if (number.length > SHORT || !WHOLE.test(number)) noteIfRounded(number, shape.roundedNumbers);
      at += number.length - 1;
    }
  }
  return { ...shape, names: shape.names.map(unquoted) };
}

/** Position of the closing quote, or of the text's end. */
function endOfString(source: string, start: number): number {
  let at = start + 1;
  while (at < source.length && source.charCodeAt(at) !== QUOTE)
    at += source.charCodeAt(at) === BACKSLASH ? 2 : 1;
  return at;
}

function unquoted(name: string): string {
  try {
    return JSON.parse(name) as string;
  } catch {
    // Not JSON: the parser that comes next says so.
    return name;
  }
}

/** Digits of a whole number that no double changes. */
const SHORT = 15;
const WHOLE = /^-?\d+$/;
const NUMBER = /-?\d+(?:\.\d*)?(?:[eE][+-]?\d*)?|-/y;

/** Longer than anybody writes a whole number: not looked into, taken for one that is rounded. */
const MAX_NUMBER = 64;

function numberAt(source: string, at: number): string {
  NUMBER.lastIndex = at;
  return NUMBER.exec(source)![0];
}

/** A double that is no safe integer is refused by its schema anyway; only a rounded one would pass unseen. */
function noteIfRounded(number: string, rounded: Set<string>): void {
  if (number.length > MAX_NUMBER) {
    rounded.add(number);
    return;
  }
  const read = Number(number);
  if (Number.isSafeInteger(read) && !isExactly(number, read)) rounded.add(number);
}

/** Whether the decimal as written is this whole number. */
function isExactly(number: string, read: number): boolean {
  const [, integer = '', fraction = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  const all = integer + fraction;
  const digits = all.replace(/0+$/, '');
  const zeros = Number(exponent) - fraction.length + (all.length - digits.length);
  const significant = digits.replace(/^0+/, '');
  if (significant === '') return read === 0;
  // A safe integer has at most 16 digits, so nothing large is built here.
  return zeros >= 0 && significant + '0'.repeat(zeros) === String(Math.abs(read));
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
