import { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { invalidRequest, type Detail } from './problem.ts';
import { REQUIRED, ruleOf } from './rule.ts';
import { suggest } from './suggest.ts';

type Part = 'params' | 'query' | 'body';
type Input = Record<Part, unknown>;

/** The parts of an endpoint that define valid input. */
type Checked = Pick<Endpoint, Part | 'method' | 'answers' | 'elsewhere'>;

/** For an operation that takes no query, or no body. */
const NOTHING = z.strictObject({});

/**
 * Checks path, query and body against the endpoint's schemas.
 * @param others further faults of the request, reported together; for the same field, they replace those found here
 * @returns the output of the schemas
 * @throws {Problem} `invalid_request` with every invalid field
 */
export function validate(endpoint: Checked, input: Input, others: readonly Detail[] = []): Input {
  const details: Detail[] = [];
  const known = new Set(others.map(({ field }) => field));
  const isNew = ({ field }: Detail) => !known.has(field);
  const check = (part: Part, schema: z.ZodObject | undefined) => {
    const result = schema?.safeParse(input[part], part === 'query' ? QUERY_MESSAGES : MESSAGES);
    if (result?.error) details.push(...detailsOf(result.error.issues, endpoint, part).filter(isNew));
    return result?.data;
  };
  const checked = {
    params: check('params', endpoint.params),
    query: check('query', endpoint.query ?? NOTHING),
    body: check('body', endpoint.body ?? (input.body === undefined ? undefined : NOTHING)),
  };
  details.push(...others);
  if (details.length > 0) throw invalidRequest(details);
  return checked;
}

/** The first issue of each field: those after it follow from it. */
function detailsOf(issues: readonly z.core.$ZodIssue[], endpoint: Checked, part: Part): Detail[] {
  const details = new Map<string, Detail>();
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const field of issue.keys) details.set(field, unknownField(field, endpoint, part));
    } else {
      const field = String(issue.path[0]);
      details.getOrInsert(field, { field, message: issue.message, rule: ruleOf(issue) });
    }
  }
  return [...details.values()];
}

/** The message is computed when read: a request can have thousands of unknown fields, of which 20 are shown. */
function unknownField(field: string, endpoint: Checked, part: Part): Detail {
  return {
    field,
    get message() {
      return describeUnknown(field, endpoint, part);
    },
  };
}

/** Why a field that the schema does not have is rejected. */
function describeUnknown(field: string, endpoint: Checked, part: Part): string {
  if (part === 'body' && !endpoint.body) return 'is an unknown field: this operation takes no body';
  if (part === 'body' && isInResponse(field, endpoint)) {
    return endpoint.method === 'POST' ? 'cannot be set on creation' : 'cannot be changed';
  }
  const unknown = part === 'query' ? 'is an unknown query parameter' : 'is an unknown field';
  const { elsewhere = {} } = endpoint;
  if (Object.hasOwn(elsewhere, field)) return `${unknown}: ${elsewhere[field]}`;
  const meant = suggest(field, Object.keys(endpoint[part]?.shape ?? {}));
  return meant === undefined ? unknown : `${unknown}; did you mean ${meant}?`;
}

/** Whether responses show the field, so that a caller may expect to set it. */
function isInResponse(field: string, endpoint: Checked): boolean {
  return Object.values(endpoint.answers).some((answer) => {
    const data = answer instanceof z.ZodObject ? answer.shape['data'] : undefined;
    return data instanceof z.ZodObject && Object.hasOwn(data.shape, field);
  });
}

type Messages = z.core.ParseContext<z.core.$ZodIssue>;

/** Messages for Zod's own issues; those that a field defines itself have precedence. */
const MESSAGES: Messages = { error: messageOf };
/** A repeated parameter arrives as an array. */
const QUERY_MESSAGES: Messages = {
  error: (issue) => (Array.isArray(issue.input) ? 'must be given once' : messageOf(issue)),
};

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
      if (input === undefined) return REQUIRED;
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
