import type { z } from 'zod';
import type { Endpoint } from './endpoint.ts';
import { Problem, type Detail } from './problem.ts';

type Input = { params: unknown; query: unknown; body: unknown };

/**
 * Checks path, query and body against the endpoint's schemas.
 * @returns what the schemas make of them
 * @throws {Problem} `invalid_request` naming every offending field at once
 */
export function validate(endpoint: Endpoint, input: Input): Input {
  const details: Detail[] = [];
  const checked = {
    params: endpoint.params ? check(endpoint.params, input.params, details) : undefined,
    query: endpoint.query ? check(endpoint.query, input.query, details) : noQuery(input.query, details),
    body: endpoint.body ? check(endpoint.body, input.body, details) : undefined,
  };
  if (details.length === 0) return checked;
  const fields = [...new Set(details.map((detail) => detail.field))].join(', ');
  throw new Problem('invalid_request', `The request breaks a rule: ${fields}`, { details });
}

function check(schema: z.ZodObject, value: unknown, details: Detail[]): unknown {
  const result = schema.safeParse(value, MESSAGES);
  if (result.success) return result.data;
  details.push(...detailsOf(result.error.issues));
  return undefined;
}

function noQuery(query: unknown, details: Detail[]): undefined {
  for (const field of Object.keys(query as object)) details.push({ field, message: UNKNOWN });
}

const UNKNOWN = 'is not known here';

function detailsOf(issues: readonly z.core.$ZodIssue[]): Detail[] {
  const byField = new Map<string, string>();
  for (const issue of issues) {
    if (issue.code === 'unrecognized_keys') {
      for (const key of issue.keys) byField.set(key, UNKNOWN);
      continue;
    }
    const field = String(issue.path[0]);
    // The first offence of a field says it; those after it follow from it.
    if (!byField.has(field)) byField.set(field, issue.message);
  }
  return [...byField].map(([field, message]) => ({ field, message }));
}

const TYPES: Record<string, string> = { int: 'a whole number', number: 'a number', boolean: 'true or false' };

/** Words for Zod's own issues; what a field says itself stands. */
const MESSAGES: z.core.ParseContext<z.core.$ZodIssue> = {
  error: (issue) => {
    switch (issue.code) {
      case 'invalid_type':
        if (issue.input === undefined) return 'is required';
        if (Array.isArray(issue.input) && issue.expected === 'string') return 'must be given once, as text';
        return `must be ${TYPES[issue.expected] ?? `a ${issue.expected}`}`;
      case 'invalid_value':
        return `must be ${issue.values.length > 1 ? 'one of ' : ''}${issue.values.join(', ')}`;
      case 'too_small':
        return `must be at least ${issue.minimum}`;
      case 'too_big':
        return `must be at most ${issue.maximum}`;
      default:
        return undefined;
    }
  },
};
