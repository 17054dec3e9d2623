import { createDocument, type ZodOpenApiOverride } from 'zod-openapi';
import type { Endpoint } from './endpoint.ts';
import { answersOf, emptyComponents } from './openapi-answers.ts';

const INTRODUCTION = `A CRM for integrations: companies, contacts, notes, tasks and offers in one workspace. It is for
programs on servers: keep API keys out of browsers.

## First call

The first start of the service prints a key; \`kundebok key create\` makes more. \`GET /me\` shows what a key is:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" http://127.0.0.1:3000/api/v1/me
\`\`\`

An organisation number is all that a new company needs, the register supplies the rest:

\`\`\`sh
curl -H "Authorization: Bearer $KEY" -H 'Content-Type: application/json' \\
  -d '{"orgnr":"923609016"}' http://127.0.0.1:3000/api/v1/companies
\`\`\`

## Requests and answers

Bodies are JSON objects, and a successful answer holds its result in \`data\`. Every error has the same shape:
\`error\` is for people, \`code\` for programs, \`details\` names the offending fields. The guide
[lists the errors](/docs/guide#errors) and says [what to do after a timeout](/docs/guide#after-a-timeout).

Every \`GET\` can be sent as \`HEAD\`: the checks, status and headers are the same, without a body. A method that a
path does not take is 405 \`method_not_allowed\`, with those it takes in \`Allow\`.

Operations, optional parameters, members of answers and values of \`code\` may be added at any time, so ignore
what you do not know. Nothing that exists is taken away or changed within \`/api/v1\`: see
[Compatibility](/docs/compatibility). What goes beyond the first version of the interface is marked \`x-addition\`.`;

/** The OpenAPI 3.1 description of the endpoints, ready for JSON. @param tags what each tag is about */
export function describeApi(
  endpoints: readonly Endpoint[],
  basePath: string,
  tags: Readonly<Record<string, string>>,
): object {
  const components = emptyComponents();
  const operations = endpoints.flatMap((endpoint) => {
    const own = { path: endpoint.path, method: endpoint.method.toLowerCase() };
    const described = { ...own, operation: operation(endpoint, answersOf(endpoint, components)) };
    return endpoint.method === 'GET' ? [described, headOf(endpoint, components)] : [described];
  });
  const paths = Map.groupBy(operations, ({ path }) => path);
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Kundebok',
        version: '1.0.0',
        description: unwrapped(INTRODUCTION),
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: basePath }],
      security: [{ apiKey: [] }],
      tags: Object.entries(tags).map(([name, description]) => ({ name, description })),
      paths: Object.fromEntries(
        [...paths].map(([path, those]) => [
          path,
          Object.fromEntries(those.map(({ method, operation }) => [method, operation])),
        ]),
      ),
      components: {
        ...components,
        securitySchemes: {
          apiKey: {
            type: 'http',
            scheme: 'bearer',
            description: 'An API key of the workspace: `Authorization: Bearer kb_…`',
          },
        },
      },
    },
    { override: openAnswersAndPlainBodies },
  );
}

/** Joins the lines of each paragraph, which readers may show as lines; code keeps its own. */
function unwrapped(markdown: string): string {
  return markdown
    .split(/(```.*?```)/s)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll(/(?<!\n)\n(?!\n)/g, ' ')))
    .join('');
}

function operation(endpoint: Endpoint, responses: ReturnType<typeof answersOf>) {
  return {
    operationId: endpoint.operationId,
    summary: endpoint.summary,
    description: `${endpoint.description}\n\n**Permission:** ${endpoint.permission.title}`,
    tags: [endpoint.tag],
    requestParams: {
      ...(endpoint.params && { path: endpoint.params }),
      ...(endpoint.query && { query: endpoint.query }),
    },
    ...(endpoint.body && {
      requestBody: { required: true, content: { 'application/json': { schema: endpoint.body } } },
    }),
    responses,
  };
}

function headOf(endpoint: Endpoint, components: ReturnType<typeof emptyComponents>) {
  const { operationId, summary, path } = endpoint;
  return {
    path,
    method: 'head',
    operation: {
      ...operation(endpoint, answersOf(endpoint, components, { bodies: false })),
      operationId: `head${operationId.charAt(0).toUpperCase()}${operationId.slice(1)}`,
      summary: `${summary}: the headers alone`,
      description: `As \`${endpoint.route}\`, its errors included, without a body.\n\n**Permission:** ${endpoint.permission.title}`,
      'x-addition': true,
    },
  };
}

/**
 * Answers may gain members, so their schemas are left open. Generated clients take a field with a `default` for
 * one that is always there, so bodies say it in words.
 */
const openAnswersAndPlainBodies: ZodOpenApiOverride = ({ jsonSchema, io }) => {
  if (io === 'output') {
    if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  } else if ('default' in jsonSchema) {
    const told = jsonSchema.default === '' ? 'the empty string' : `\`${JSON.stringify(jsonSchema.default)}\``;
    jsonSchema.description = [jsonSchema.description, `When absent: ${told}.`].filter(Boolean).join(' ');
    delete jsonSchema.default;
  }
};
