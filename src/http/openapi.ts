import { z } from 'zod';
import { createDocument, type ZodOpenApiOperationObject, type ZodOpenApiOverride } from 'zod-openapi';
import type { Endpoint } from './endpoint.ts';
import { IDEMPOTENCY_KEY } from './idempotency.ts';
import { errorResponses, RESPONSE_HEADERS, responsesOf } from './openapi-responses.ts';

/** Each paragraph is one line: some viewers show line breaks as they are. */
const INTRODUCTION = `A CRM for integrations: companies, contacts, notes, tasks and offers in one workspace. The API is for programs on servers: keep API keys out of browsers.

## First call

The first start of the service prints a key; \`kundebok key create\` makes more. \`GET /me\` shows what a key is:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" http://127.0.0.1:3000/api/v1/me
\`\`\`

A new company needs only its organisation number; the rest comes from the register:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"orgnr":"923609016"}' http://127.0.0.1:3000/api/v1/companies
\`\`\`

## Requests and responses

Bodies are JSON objects, and a successful response holds its result in \`data\`. Every error has the same shape: \`error\` is for people, \`code\` for programs, and \`details\` names the invalid fields. The guide [lists the errors](/docs/guide#errors) and says [what to do after a timeout](/docs/guide#after-a-timeout).

Every \`GET\` can be sent as \`HEAD\`: checks, status and headers are the same, without a body. A method that a path does not allow is 405 \`method_not_allowed\`; \`Allow\` lists those it does.

Operations, optional parameters, members of responses and values of \`code\` may be added at any time, so ignore what you do not know. Nothing that exists is removed or changed within \`/api/v1\`: see [Compatibility](/docs/compatibility). What goes beyond the first version of the API is marked \`x-addition\`.`;

/** The OpenAPI 3.1 description of the endpoints, ready for JSON. @param tags the description of each tag */
export function describeApi(
  endpoints: readonly Endpoint[],
  basePath: string,
  tags: Readonly<Record<string, string>>,
): object {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const endpoint of endpoints) {
    const { path, method } = endpoint;
    const operation = describe(endpoint);
    paths[path] = { ...paths[path], [method.toLowerCase()]: operation };
    if (method === 'GET') paths[path]['head'] = headOf(operation, endpoint);
  }
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Kundebok',
        version: '1.0.0',
        description: INTRODUCTION,
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: basePath }],
      security: [{ apiKey: [] }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      paths,
      components: {
        headers: RESPONSE_HEADERS,
        responses: errorResponses(endpoints),
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key of the workspace: `Authorization: Bearer kb_…`',
          },
        },
      },
    },
    { override: openResponsesAndDescribeDefaults },
  );
}

function describe(endpoint: Endpoint): ZodOpenApiOperationObject {
  const { operationId, summary, tag, params, query, body, addition } = endpoint;
  const headers = requestHeadersOf(endpoint);
  if (tag === undefined) throw new Error(`operation ${operationId} has no tag`);
  return {
    operationId,
    summary,
    description: withPermission(endpoint.description, endpoint),
    tags: [tag],
    requestParams: {
      ...(params && { path: params }),
      ...(query && { query }),
      ...(headers && { header: headers }),
    },
    ...(body && { requestBody: { required: true, content: { 'application/json': { schema: body } } } }),
    responses: responsesOf(endpoint),
    ...(addition && { 'x-addition': true }),
  };
}

const addedHeader = (name: string, schema: z.ZodString, description: string) =>
  z.strictObject({ [name]: schema.optional().meta({ description, 'x-addition': true }) });

const idempotencyKey = addedHeader(
  'Idempotency-Key',
  z.string().regex(IDEMPOTENCY_KEY),
  'Chosen by the caller. The answer of the first request that succeeds is stored for 24 hours: a request with the same key, operation and body gets it again.',
);

const ifMatchOf = (what: string) =>
  addedHeader('If-Match', z.string(), `The ETag of ${what}, as you read it; 412 if it has changed since.`);

const ifNoneMatch = addedHeader(
  'If-None-Match',
  z.string(),
  'An ETag that you have; the answer is 304 while it is current.',
);

function requestHeadersOf({ method, etag, ifMatch }: Endpoint): z.ZodObject | undefined {
  const owners = ifMatch && ifMatchOf(`the ${ifMatch}`);
  if (method === 'POST') return owners ? idempotencyKey.extend(owners.shape) : idempotencyKey;
  if (owners || !etag) return owners || undefined;
  return method === 'GET' ? ifNoneMatch : ifMatchOf('the resource');
}

/** The HEAD operation that belongs to a GET. */
function headOf(get: ZodOpenApiOperationObject, endpoint: Endpoint): ZodOpenApiOperationObject {
  const { operationId, summary, route } = endpoint;
  const responses = Object.entries(get.responses ?? {}).map(([status, response]) => {
    const { content: _, ...headersOnly } = response;
    return [status, headersOnly];
  });
  return {
    ...get,
    operationId: `head${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`,
    summary: `${summary}: headers only`,
    description: withPermission(`As \`${route}\`, errors included, without a body.`, endpoint),
    responses: Object.fromEntries(responses),
    'x-addition': true,
  };
}

function withPermission(description: string, { permission }: Endpoint): string {
  return `${description}\n\n**Permission:** ${permission.title}`;
}

/**
 * Responses may gain members, so their schemas are left open. Generated clients treat a field with a `default` as
 * required, so the description of a field states its default in words. Numbers in a query already state theirs.
 */
const openResponsesAndDescribeDefaults: ZodOpenApiOverride = ({ jsonSchema, zodSchema, io }) => {
  if (io === 'output') {
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  } else if (zodSchema._zod.def.type === 'prefault') {
    delete jsonSchema.default;
  } else if ('default' in jsonSchema) {
    const value =
      jsonSchema.default === '' ? 'the empty string' : `\`${JSON.stringify(jsonSchema.default)}\``;
    jsonSchema.description = [jsonSchema.description, `When absent: ${value}.`].filter(Boolean).join(' ');
    delete jsonSchema.default;
  }
};
