import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { invalidRequest, MAX_DETAILS, type Detail } from './problem.ts';
import { suggest } from './suggest.ts';

type Part = 'params' | 'query' | 'body';
type Input = Record<Part, unknown>;

/** The first offences in words, all of them by their number: a request can hold very many. */
type Offences = { details: Detail[]; count: number };

/**
 * Checks path, query and body against the endpoint's schemas.
 * @returns what the schemas make of them
 * @throws {Problem} `invalid_request` naming the offending fields
 */
export function validate(endpoint: Endpoint, input: Input): Input {
  const offences: Offences = { details: [], count: 0 };
  const check = (part: Part, schema: z.ZodObject | undefined) => {
    const result = schema?.safeParse(input[part], WORDS[part]);
    if (result && !result.success) collect(offences, endpoint, part, result.error.issues);
    return result?.data;
  };
  const checked = {
    params: check('params', endpoint.params),
    query: check('query', endpoint.query ?? NO_QUERY),
    body: check('body', endpoint.body),
  };
  if (offences.count > 0) throw invalidRequest(offences.details, offences.count);
  return checked;
}

const NO_QUERY = z.strictObject({});

/** Words for Zod's own issues; what a field says itself stands. */
const WORDS: Record<Part, z.core.ParseContext<z.core.$ZodIssue>> = {
  params: { error: messageOf },
  // The router gives a parameter that is repeated as an array.
  query: { error: (issue) => (Array.isArray(issue.input) ? 'must be given once' : messageOf(issue)) },
  body: { error: messageOf },
};

function collect(
  offences: Offences,
  endpoint: Endpoint,
  part: Part,
  issues: readonly z.core.$ZodIssue[],
): void {
  const seen = new Set<string>();
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      offences.count += issue.keys.length;
      const room = Math.max(0, MAX_DETAILS - offences.details.length);
      for (const field of issue.keys.slice(0, room)) {
        offences.details.push({ field, message: refusalOf(field, endpoint, part) });
      }
      continue;
    }
    const field = String(issue.path[0]);
    // The first offence of a field says it; those after it follow from it.
    if (seen.has(field)) continue;
    seen.add(field);
    offences.count += 1;
    if (offences.details.length < MAX_DETAILS) offences.details.push({ field, message: issue.message });
  }
}

/** Why a field that the schema does not have is refused. */
function refusalOf(field: string, endpoint: Endpoint, part: Part): string {
  if (part === 'body' && isAnswered(field, endpoint)) {
    return endpoint.method === 'POST' ? 'cannot be set on creation' : 'cannot be changed';
  }
  const meant = suggest(field, Object.keys(endpoint[part]?.shape ?? {}));
  const unknown = part === 'query' ? 'is an unknown query parameter' : 'is an unknown field';
  return meant === undefined ? unknown : `${unknown}; did you mean ${meant}?`;
}

/** Whether answers show the field, so that a caller may take it for one that can be sent. */
function isAnswered(field: string, endpoint: Endpoint): boolean {
  return Object.values(endpoint.answers).some((answer) => {
    const data = answer instanceof z.ZodObject ? answer.shape['data'] : undefined;
    return data instanceof z.ZodObject && Object.hasOwn(data.shape, field);
  });
}

const TYPES: Record<string, string> = {
  string: 'a string',
  int: 'a whole number',
  number: 'a whole number',
  boolean: 'true or false',
};

function messageOf(issue: z.core.$ZodRawIssue): string | undefined {
  const { input } = issue;
  switch (issue.code) {
    case 'invalid_type':
    case 'invalid_value':
      if (input === undefined) return 'is required';
      if (input === null) return 'cannot be null';
      if (issue.code === 'invalid_value') return `must be one of ${issue.values.join(', ')}`;
      return wrongType(issue.expected, input);
    case 'too_small':
      return `must be at least ${issue.minimum}`;
    case 'too_big':
      return `must be at most ${issue.maximum}`;
    default:
      return undefined;
  }
}

function wrongType(expected: string, input: unknown): string {
  const isNumeric = expected === 'int' || expected === 'number';
  if (isNumeric && typeof input === 'number') return `must be ${TYPES[expected]}`;
  if (isNumeric && typeof input === 'string' && /^-?\d+(?:\.\d+)?$/.test(input)) {
    return 'must be a number, not a string: leave out the quotes';
  }
  return `must be ${TYPES[expected] ?? expected}, not ${typeOf(input)}`;
}

function typeOf(input: unknown): string {
  if (Array.isArray(input)) return 'an array';
  return typeof input === 'object' ? 'an object' : `a ${typeof input}`;
}
