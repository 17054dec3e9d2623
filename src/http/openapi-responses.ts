import { STATUS_CODES } from 'node:http';
import { z } from 'zod';
import type { ZodOpenApiResponseObject, ZodOpenApiResponsesObject } from 'zod-openapi';
import { takesIfMatch } from './conditional.ts';
import type { Endpoint } from './endpoint.ts';
import { MEANINGS, PROBLEMS, STATUSES, type ProblemCode } from './problem.ts';

/** Problems that every operation can have. */
const COMMON: readonly ProblemCode[] = [
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

/** Problems with the Idempotency-Key that every POST accepts. */
const REPEATED: readonly ProblemCode[] = ['request_in_progress', 'idempotency_key_reused', 'erased'];

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
          field: z.string().meta({ description: 'Name of a field, parameter or header.' }),
          message: z.string().meta({ description: 'What is wrong with it, to be read after its name.' }),
        }),
      )
      .optional()
      .meta({ description: 'One entry for each invalid field, up to 20.' }),
  })
  .meta({ id: 'Problem', description: 'The body of every error response.' });

const header = (description: string, schema: object, example: string | number) => ({
  description,
  schema,
  example,
});

/** A header that goes beyond the contract. */
const addition = (...about: Parameters<typeof header>) => ({ ...header(...about), 'x-addition': true });

export const RESPONSE_HEADERS = {
  'X-Request-Id': header(
    'Identifies the request in the log; the request’s own X-Request-Id if that is well-formed.',
    { type: 'string' },
    '0d9c6c1e-7f1c-4f5c-9a51-1f4f4c5b7a10',
  ),
  'Cache-Control': header('Always no-store.', { type: 'string' }, 'no-store'),
  'RateLimit-Policy': header(
    'Requests (q) and the seconds (w) over which they are refilled; absent when rate limiting is off, or the request was turned away before its key was read.',
    { type: 'string' },
    '"key";q=1000;w=10',
  ),
  RateLimit: header(
    'Requests left (r) and seconds until all are back (t); absent when rate limiting is off, or the request was turned away before its key was read.',
    { type: 'string' },
    '"key";r=999;t=1',
  ),
  'Retry-After': header(
    'Whole seconds to wait. A 409 has it only with `request_in_progress`.',
    { type: 'integer', minimum: 1 },
    1,
  ),
  'WWW-Authenticate': header('Always Bearer.', { type: 'string' }, 'Bearer'),
  ETag: addition(
    'The state of the resource, for If-Match and If-None-Match.',
    { type: 'string' },
    '"3-1768467600000"',
  ),
  'Idempotency-Replayed': addition(
    'true where the answer is that of an earlier request with the same Idempotency-Key.',
    { type: 'string', enum: ['true'] },
    'true',
  ),
  Allow: header('The methods that the path allows.', { type: 'string' }, 'GET, HEAD, POST'),
};

type HeaderName = keyof typeof RESPONSE_HEADERS;

const HEADERS_BY_STATUS: Record<number, readonly HeaderName[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

/** The responses of an operation by status; error responses are references into `errorResponses`. */
export function responsesOf(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const responses: ZodOpenApiResponsesObject = {};
  for (const [status, schema] of Object.entries(endpoint.answers)) {
    responses[status as '200'] = {
      description: outcomeOf(endpoint, Number(status)),
      headers: headersOf(Number(status), ownHeaders(endpoint)),
      // A response without a body, such as 204, is declared as `z.void()`.
      ...(!(schema instanceof z.ZodVoid) && { content: { 'application/json': { schema } } }),
    };
  }
  if (endpoint.etag && endpoint.method === 'GET') {
    responses['304'] = {
      description: 'Not changed since the state in If-None-Match.',
      headers: headersOf(304, ['ETag']),
    };
  }
  for (const [status, codes] of problemsOf(endpoint)) {
    responses[`${status}` as '400'] = { $ref: `#/components/responses/${nameOf(status, codes)}` };
  }
  return responses;
}

function outcomeOf({ operationId, outcomes }: Endpoint, status: number): string {
  const outcome = outcomes?.[status];
  if (outcome === undefined) throw new Error(`operation ${operationId} does not say what ${status} means`);
  return outcome;
}

function ownHeaders({ etag, method }: Endpoint): HeaderName[] {
  return [
    ...(etag && method !== 'DELETE' ? ['ETag' as const] : []),
    ...(method === 'POST' ? ['Idempotency-Replayed' as const] : []),
  ];
}

/** The error responses of all operations by name; many operations share one. */
export function errorResponses(endpoints: readonly Endpoint[]): Record<string, ZodOpenApiResponseObject> {
  const groups = endpoints.flatMap((endpoint) => [...problemsOf(endpoint)]);
  return Object.fromEntries(
    groups.map(([status, codes]) => [nameOf(status, codes), errorResponse(status, codes)]),
  );
}

/** The problems of an operation by status. */
function problemsOf(endpoint: Endpoint): Map<number, ProblemCode[]> {
  const codes = [
    ...COMMON,
    ...(endpoint.method === 'GET' ? [] : WITH_BODY),
    ...(endpoint.method === 'POST' ? REPEATED : []),
    ...(takesIfMatch(endpoint) ? ['precondition_failed' as const] : []),
    ...(endpoint.permission.missingFrom(0).length > 0 ? ['forbidden' as const] : []),
    ...endpoint.fails,
  ];
  return Map.groupBy(codes, (code) => endpoint.statuses?.[code] ?? STATUSES[code]);
}

/** `NotFound`; for a status with several codes, also the codes that are not `COMMON`: `ConflictStatusConflict`. */
function nameOf(status: number, codes: readonly ProblemCode[]): string {
  const usual = CODES.filter((code) => STATUSES[code] === status);
  const isOnly = usual.length === 1 && codes.every((code) => usual.includes(code));
  const own = isOnly ? [] : codes.filter((code) => !COMMON.includes(code));
  return [STATUS_CODES[status]!, ...own].map(pascalCase).join('');
}

function pascalCase(words: string): string {
  return words.replaceAll(/(?:^|[^a-zA-Z]+)([a-zA-Z]?)/g, (_, letter: string) => letter.toUpperCase());
}

function errorResponse(status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${MEANINGS[code]}.`).join('\n\n'),
    headers: headersOf(status, codes.includes('request_in_progress') ? ['Retry-After'] : []),
    content: {
      'application/json': {
        schema: problem,
        examples: Object.fromEntries(codes.map((code) => [code, { value: { error: MEANINGS[code], code } }])),
      },
    },
  };
}

function headersOf(status: number, own: readonly HeaderName[] = []): Record<string, { $ref: string }> {
  const common: HeaderName[] = ['X-Request-Id', 'Cache-Control', 'RateLimit-Policy', 'RateLimit'];
  const names = [...common, ...own, ...(HEADERS_BY_STATUS[status] ?? [])];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}
