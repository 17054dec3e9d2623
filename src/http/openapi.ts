import { z } from 'zod';
import { createDocument, type ZodOpenApiResponseObject, type ZodOpenApiResponsesObject } from 'zod-openapi';
import type { Endpoint } from './endpoint.ts';
import { PROBLEMS, type ProblemCode } from './problem.ts';

/** What any operation can answer, whatever it does. */
const ALWAYS: readonly ProblemCode[] = [
  'malformed_request',
  'invalid_request',
  'unauthorized',
  'request_timeout',
  'uri_too_long',
  'rate_limited',
  'headers_too_large',
  'internal_error',
  'temporarily_unavailable',
];
const WITH_BODY: readonly ProblemCode[] = ['malformed_json', 'payload_too_large', 'unsupported_media_type'];

const problem = z
  .strictObject({
    error: z.string().meta({ description: 'What is wrong and what to do, for people.' }),
    code: z.enum(Object.keys(PROBLEMS) as [ProblemCode, ...ProblemCode[]]).meta({
      description: 'What is wrong, for programs.',
    }),
    details: z
      .array(z.strictObject({ field: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'One entry for each offending field.' }),
  })
  .meta({ id: 'Problem', description: 'The body of every answer that is not a success.' });

/** The OpenAPI 3.1 description of the endpoints, ready for JSON. */
export function describeApi(endpoints: readonly Endpoint[], basePath: string): object {
  const paths = Map.groupBy(endpoints, (endpoint) => endpoint.path);
  return createDocument({
    openapi: '3.1.0',
    info: {
      title: 'Kundebok',
      version: '1.0.0',
      description:
        'A CRM for integrations: companies, contacts, notes, tasks and offers in one workspace. Server to server: keep API keys out of browsers.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: basePath }],
    security: [{ apiKey: [] }],
    tags: [...new Set(endpoints.map((endpoint) => endpoint.tag))].map((name) => ({ name })),
    paths: Object.fromEntries(
      [...paths].map(([path, those]) => [
        path,
        Object.fromEntries(those.map((endpoint) => [endpoint.method.toLowerCase(), operation(endpoint)])),
      ]),
    ),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key of the workspace: `Authorization: Bearer kb_…`',
        },
      },
    },
  });
}

function operation(endpoint: Endpoint) {
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: [endpoint.description, `**Permission:** ${endpoint.permission.title}`]
      .filter(Boolean)
      .join('\n\n'),
    tags: [endpoint.tag],
    requestParams: {
      ...(endpoint.params && { path: endpoint.params }),
      ...(endpoint.query && { query: endpoint.query }),
    },
    ...(endpoint.body && {
      requestBody: { required: true, content: { 'application/json': { schema: endpoint.body } } },
    }),
    responses: { ...successes(endpoint), ...failures(endpoint) },
  };
}

function successes(endpoint: Endpoint): ZodOpenApiResponsesObject {
  return Object.fromEntries(
    Object.entries(endpoint.answers).map(([status, schema]) => [
      status,
      {
        description: status === '201' ? 'Created' : 'OK',
        headers: { ...EVERY_HEADER, ...LIMIT_HEADERS },
        content: { 'application/json': { schema } },
      },
    ]),
  );
}

function failures(endpoint: Endpoint): ZodOpenApiResponsesObject {
  const codes = [
    ...ALWAYS,
    ...(endpoint.body ? WITH_BODY : []),
    ...(endpoint.permission.missingFrom(0).length > 0 ? ['forbidden' as const] : []),
    ...endpoint.fails,
  ];
  const byStatus = Map.groupBy(codes, (code) => PROBLEMS[code]);
  return Object.fromEntries([...byStatus].map(([status, those]) => [status, failure(status, those)]));
}

function failure(status: number, codes: readonly ProblemCode[]): ZodOpenApiResponseObject {
  return {
    description: codes.map((code) => `\`${code}\`: ${MEANINGS[code]}`).join('\n\n'),
    headers: { ...EVERY_HEADER, ...LIMIT_HEADERS, ...OWN_HEADERS[status] },
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

const EVERY_HEADER = {
  'X-Request-Id': header(
    'Names the request in the log; taken from the request when it carries a sane one.',
    { type: 'string' },
    '0d9c6c1e-7f1c-4f5c-9a51-1f4f4c5b7a10',
  ),
  'Cache-Control': header('Always no-store.', { type: 'string' }, 'no-store'),
};

const LIMIT_HEADERS = {
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
};

const RETRY_AFTER = {
  'Retry-After': header('Whole seconds to wait.', { type: 'integer', minimum: 1 }, 1),
};

const OWN_HEADERS: Record<number, Record<string, ReturnType<typeof header>>> = {
  401: { 'WWW-Authenticate': header('Always Bearer.', { type: 'string' }, 'Bearer') },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};

const MEANINGS: Record<ProblemCode, string> = {
  malformed_request: 'The request is not valid HTTP',
  malformed_json: 'The body is not JSON, is empty, or is not an object',
  invalid_request: 'A path, query or body value breaks its rule, or is not known',
  invalid_reference: 'The body names a user or company that is not in the workspace, or a deleted company',
  unauthorized: 'No API key, or one that is malformed, unknown, expired or revoked',
  forbidden: 'The API key lacks a permission; the text names it',
  not_found: 'The path names nothing in this workspace',
  method_not_allowed: 'The path does not take this method',
  request_timeout: 'The request did not arrive in time',
  id_already_used: 'The id was used before; read it to check the earlier request',
  company_deleted: 'The company is deleted; it is restored in the application',
  status_conflict: 'The status changed while the request was under way; read the offer before retrying',
  limit_reached: 'The contact has as many details or company links as it can have',
  payload_too_large: 'The body is larger than 256 KiB',
  uri_too_long: 'The address is too long',
  unsupported_media_type: 'The body is not application/json',
  not_in_register: 'The organisation number is not in the register, or was deleted or removed from it',
  rate_limited: 'Too many requests; wait as Retry-After says',
  headers_too_large: 'The headers are too large',
  internal_error: 'The request failed; for a write, check the outcome before retrying',
  not_implemented: 'The transfer coding is not supported; send a length, or chunked',
  temporarily_unavailable: 'The service cannot answer just now; wait as Retry-After says',
  register_unavailable: 'The register is out of reach, nothing was created; wait as Retry-After says',
};
