import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { ZodOpenApiComponentsObject, ZodOpenApiResponseObject } from 'zod-openapi';
import type { Endpoint } from './endpoint.ts';
import { MEANINGS } from './meanings.ts';
import { PROBLEMS, type ProblemCode } from './problem.ts';

/** What any operation can answer, whatever it does. */
const ALWAYS: readonly ProblemCode[] = [
  'malformed_request',
  'invalid_request',
  'unauthorized',
  'method_not_allowed',
  'request_timeout',
  'uri_too_long',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'not_implemented',
  'temporarily_unavailable',
];
const WITH_BODY: readonly ProblemCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type'];

const CODES = Object.keys(PROBLEMS) as ProblemCode[];

const problem = z
  .strictObject({
    error: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
    code: z.string().meta({
      description: `What is wrong, for programs. Known values, to which later releases may add: ${CODES.map((code) => `\`${code}\``).join(', ')}.`,
      'x-extensible-enum': CODES,
    }),
    details: z
      .array(
        z.strictObject({
          field: z.string().meta({ description: 'Name of a field, path parameter or query parameter.' }),
          message: z.string().meta({ description: 'What is wrong with it, to be read after its name.' }),
        }),
      )
      .optional()
      .meta({ description: 'One entry for each offending field, the first 20 at most.' }),
  })
  .meta({ id: 'Problem', description: 'The body of every answer that is not a success.' });

type Responses = Record<string, ZodOpenApiResponseObject | { $ref: string }>;

/**
 * The answers of an operation by status. Problems are the same for many operations: they are put into
 * `components` and referred to.
 */
export function answersOf(endpoint: Endpoint, components: Components, { bodies = true } = {}): Responses {
  return { ...successes(endpoint, bodies), ...failures(endpoint, components) };
}

function successes(endpoint: Endpoint, bodies: boolean): Responses {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, schema]) => [
      status,
      {
        description: endpoint.outcomes[Number(status)] ?? '',
        headers: refs(EVERY_ANSWER),
        ...(bodies && { content: { 'application/json': { schema } } }),
      },
    ]),
  );
}

function failures(endpoint: Endpoint, { responses }: Components): Responses {
  const codes = [
    ...ALWAYS,
    ...(endpoint.body ? WITH_BODY : []),
    ...(endpoint.permission.missingFrom(0).length > 0 ? ['forbidden' as const] : []),
    ...endpoint.fails,
  ];
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code]);
  return Object.fromEntries(
    [...byStatus].map(([status, those]) => {
      const name = nameOf(status, those);
      responses[name] ??= failure(status, those);
      return [status, { $ref: `#/components/responses/${name}` }];
    }),
  );
}

/** `NotFound`; where a status has several codes also those that not every operation has: `ConflictStatusConflict`. */
function nameOf(status: number, codes: readonly ProblemCode[]): string {
  const isOnly = CODES.filter((code) => PROBLEMS[code] === status).length === 1;
  const own = isOnly ? [] : codes.filter((code) => !ALWAYS.includes(code));
  return [STATUS_CODES[status]!, ...own].map(pascalCase).join('');
}

function pascalCase(words: string): string {
  return words.replaceAll(/(?:^|[^a-zA-Z]+)([a-zA-Z]?)/g, (_, letter: string) => letter.toUpperCase());
}

function failure(status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${MEANINGS[code]}.`).join('\n\n'),
    headers: refs([...EVERY_ANSWER, ...(OWN_HEADERS[status] ?? [])]),
    content: {
      'application/json': {
        schema: problem,
        examples: Object.fromEntries(codes.map((code) => [code, { value: { error: MEANINGS[code], code } }])),
      },
    },
  };
}

const header = (description: string, schema: object, example: string | number) => ({
  description,
  schema,
  example,
});

const HEADERS = {
  'X-Request-Id': header(
    'Names the request in the log. A request’s own X-Request-Id is taken over if it is well-formed.',
    { type: 'string' },
    '0d9c6c1e-7f1c-4f5c-9a51-1f4f4c5b7a10',
  ),
  'Cache-Control': header('Always no-store.', { type: 'string' }, 'no-store'),
  'RateLimit-Policy': header(
    'Requests (q) and the seconds (w) over which they are refilled; absent when rate limiting is off.',
    { type: 'string' },
    '"key";q=1000;w=10',
  ),
  RateLimit: header(
    'Requests left (r) and seconds until all are back (t); absent when rate limiting is off.',
    { type: 'string' },
    '"key";r=999;t=1',
  ),
  'Retry-After': header('Whole seconds to wait.', { type: 'integer', minimum: 1 }, 1),
  'WWW-Authenticate': header('Always Bearer.', { type: 'string' }, 'Bearer'),
  Allow: header('The methods that the path takes.', { type: 'string' }, 'GET, HEAD, POST'),
};

type HeaderName = keyof typeof HEADERS;

const EVERY_ANSWER: readonly HeaderName[] = [
  'X-Request-Id',
  'Cache-Control',
  'RateLimit-Policy',
  'RateLimit',
];

const OWN_HEADERS: Record<number, readonly HeaderName[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function refs(names: readonly HeaderName[]): Record<string, { $ref: string }> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

type Components = Required<Pick<ZodOpenApiComponentsObject, 'responses' | 'headers'>>;

/** Every header there is; responses come in as operations need them. */
export function emptyComponents(): Components {
  return { headers: HEADERS, responses: {} };
}
