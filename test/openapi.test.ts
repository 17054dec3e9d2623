import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { api, TAGS } from '../src/api.ts';
import { describeApi } from '../src/http/openapi.ts';
import { PROBLEMS } from '../src/http/problem.ts';
import { Waits } from '../src/changes/waits.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { description } from './promises.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document of many shapes
const document: any = description;
const METHODS = new Set(['get', 'post', 'patch', 'delete']);

/** Every operation of the document with its path and method. */
const operations = Object.entries<Record<string, object>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods)
    .filter(([method]) => METHODS.has(method))
    // oxlint-disable-next-line typescript/no-explicit-any -- as the document
    .map(([method, operation]: [string, any]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
);

const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: true });
addFormats.default(ajv);
ajv.addSchema(document, 'openapi.json');

/** What is wrong with a value, given where its schema is in the document. */
function faultsOf(value: unknown, pointer: string): string[] {
  const check = ajv.compile({ $ref: `openapi.json#${encodeURI(pointer)}` });
  return check(value) ? [] : (check.errors ?? []).map((error) => `${error.instancePath} ${error.message}`);
}

/** Every object in the document with the pointer that leads to it. */
function* objectsIn(value: unknown, pointer = ''): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [pointer, value as Record<string, unknown>];
  for (const [name, inner] of Object.entries(value)) {
    yield* objectsIn(inner, `${pointer}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`);
  }
}

/** What a reference leads to, undefined for nothing. */
function placeOf(reference: string): unknown {
  const names = reference.replace(/^#\//, '').split('/');
  return names.reduce((inner, name) => inner?.[name], document);
}

function isSchema(object: Record<string, unknown>): boolean {
  return typeof object['type'] === 'string' || Array.isArray(object['anyOf']) || '$ref' in object;
}

test('openapi.json in the repository is what this checkout generates', async () => {
  const file = await readFile(new URL('../openapi.json', import.meta.url), 'utf8');
  // Compared as a whole: the difference would be thousands of lines.
  const isCurrent = file === `${JSON.stringify(description, null, 2)}\n`;
  expect(isCurrent, 'openapi.json is outdated: run npm run openapi').toBe(true);
});

test('the description is valid OpenAPI 3.1', async () => {
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  expect(errors ?? []).toEqual([]);
  expect(valid).toBe(true);
  expect(validator.version).toBe('3.1');
});

test('every reference leads somewhere', () => {
  const references = [...objectsIn(document)]
    .map(([, object]) => object['$ref'])
    .filter((reference) => typeof reference === 'string');
  const astray = references.filter((reference) => typeof placeOf(reference) !== 'object');
  expect(references.length).toBeGreaterThan(100);
  expect(astray).toEqual([]);
});

test('every component is used', () => {
  const used = new Set([...objectsIn(document)].map(([, object]) => object['$ref']));
  const named = ['schemas', 'responses', 'headers'].flatMap((kind) =>
    Object.keys(document.components[kind]).map((name) => `#/components/${kind}/${name}`),
  );
  expect(named.filter((name) => !used.has(name))).toEqual([]);
});

test('no description says twice what an absent value means', () => {
  const described = [...objectsIn(document)].filter(([, { description }]) =>
    /when absent.*when absent/i.test(String(description)),
  );
  expect(described.map(([pointer]) => pointer)).toEqual([]);
});

test('no schema has a default, which would make its field a required one in generated clients', () => {
  const withDefault = [...objectsIn(document)].filter(([, object]) => 'default' in object);
  expect(withDefault.map(([pointer]) => pointer)).toEqual([]);
});

test.each([
  ['CompanyCreate', { status: '"prospect"' }],
  ['ContactCreate', { notes: 'the empty string' }],
  ['ContactPointCreate', { label: 'the empty string' }],
  ['ContactCompanyCreate', { role: 'null' }],
  ['TaskCreate', { description: 'null', has_time_specified: 'true', related_company_id: 'null' }],
  [
    'OfferCreate',
    {
      description: 'null',
      status: '"new"',
      one_time_revenue: '0',
      recurring_revenue: '0',
      recurring_frequency: '"monthly"',
      weight: '50',
    },
  ],
])('%s says in words what stands in for an absent field', (name, fields) => {
  for (const [field, value] of Object.entries(fields)) {
    const told = document.components.schemas[name].properties[field].description;
    expect([field, told.replaceAll('`', '')]).toEqual([
      field,
      expect.stringMatching(RegExp(`When absent: ${value}\\.$`)),
    ]);
  }
});

test('bodies are closed; answers and the values of code are open for what later releases add', () => {
  const closed = [...objectsIn(document)]
    .filter(([, object]) => object['additionalProperties'] === false)
    .map(([pointer]) => pointer.replace('/components/schemas/', ''));
  expect(closed.toSorted()).toEqual(Object.keys(document.components.schemas).filter(isBody).toSorted());
  const { code } = document.components.schemas.Problem.properties;
  expect([code.type, 'enum' in code]).toEqual(['string', false]);
  expect(code['x-extensible-enum']).toEqual(Object.keys(PROBLEMS));
  for (const known of Object.keys(PROBLEMS)) expect(code.description).toContain(`\`${known}\``);
});

const isBody = (name: string) => /(?:Create|Update)$/.test(name);

test('HEAD is described as GET is, without a body', () => {
  for (const { route, operation } of operations.filter(({ route }) => route.startsWith('GET '))) {
    const { head } = document.paths[route.slice(4)];
    expect(head.parameters).toEqual(operation.parameters);
    expect(head.responses['200'].headers).toEqual(operation.responses['200'].headers);
    expect(head.responses['200']).not.toHaveProperty('content');
    const { 200: _, ...failures } = head.responses;
    const { 200: __, ...expected } = operation.responses;
    expect(failures).toEqual(expected);
  }
});

test('a success without a body is declared as void and described without content', () => {
  const [endpoint] = api({ register: sandboxRegister(), waits: new Waits() });
  const gone = { ...endpoint!, answers: { 204: z.void() }, outcomes: { 204: 'It is gone.' } };
  const { paths } = describeApi([gone], '/', {}) as typeof document;
  const response = paths[gone.path][gone.method.toLowerCase()].responses['204'];
  expect(Object.keys(response).toSorted()).toEqual(['description', 'headers']);
});

test('tags are described, and so are parameters', () => {
  expect(document.tags.map(({ name }: { name: string }) => name)).toEqual(Object.keys(TAGS));
  for (const { operation } of operations) {
    expect(Object.keys(TAGS)).toEqual(expect.arrayContaining(operation.tags));
    for (const { name, description } of operation.parameters ?? []) {
      expect([name, description]).toEqual([name, expect.stringMatching(/^\S.+\.$/)]);
    }
  }
});

describe.each(operations)('$route', ({ route, operation }) => {
  const endpoint = api({ register: sandboxRegister(), waits: new Waits() }).find(
    (each) => each.route === route,
  );

  test('has an id, a summary, a description, a tag and says which permission it needs', () => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.summary).toMatch(/^[A-Z]/);
    expect(operation.tags).toHaveLength(1);
    const [told, permission] = operation.description.split('\n\n**Permission:** ');
    expect(told).toMatch(/^[A-Z].+\.$/);
    expect(permission).toBe(endpoint?.permission.title);
  });

  test('shows an example of each of its problems, which its schema admits', () => {
    for (const [status, response] of failuresOf(operation)) {
      const { schema, examples } = response.content['application/json'];
      expect(schema.$ref).toBe('#/components/schemas/Problem');
      expect(Object.keys(examples)).not.toEqual([]);
      for (const [code, { value }] of Object.entries<{ value: { code: string } }>(examples)) {
        expect(faultsOf(value, '/components/schemas/Problem')).toEqual([]);
        expect(value.code).toBe(code);
        const known = code as keyof typeof PROBLEMS;
        expect(endpoint?.statuses?.[known] ?? PROBLEMS[known]).toBe(Number(status));
        expect(response.description).toContain(`\`${code}\``);
      }
    }
  });

  test('says of each success what it means, and shares what it can with other operations', () => {
    for (const [status, response] of Object.entries<{ description: string; $ref?: string }>(
      operation.responses,
    )) {
      if (Number(status) < 400) expect(response.description).toMatch(/^[A-Z].{5,}\.$/);
      else expect(response.$ref).toMatch(/^#\/components\/responses\/[A-Za-z]+$/);
      const headers = Object.values<{ $ref: string }>(resolved(response).headers);
      for (const { $ref } of headers) expect(placeOf($ref)).toBeTruthy();
    }
  });

  test('documents the headers of its answers', () => {
    expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(Object.keys(HEADERS_OF)));
    for (const [status, response] of Object.entries(operation.responses)) {
      const { headers } = resolved(response);
      const wanted = ['X-Request-Id', 'RateLimit', ...(HEADERS_OF[status] ?? [])];
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(wanted));
    }
  });
});

const HEADERS_OF: Record<string, string[]> = {
  401: ['WWW-Authenticate'],
  405: ['Allow'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

test('operations have ids of their own', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every problem code is documented by some operation', () => {
  const documented = new Set(
    operations.flatMap(({ operation }) =>
      failuresOf(operation).flatMap(([, response]) =>
        Object.keys(response.content['application/json'].examples),
      ),
    ),
  );
  expect(Object.keys(PROBLEMS).filter((code) => !documented.has(code))).toEqual([]);
});

test('examples of fields and of whole resources are what their schemas admit', () => {
  const examples = [...objectsIn(document)]
    .filter(([, object]) => isSchema(object) && Array.isArray(object['examples']))
    .flatMap(([pointer, object]) => (object['examples'] as unknown[]).map((value) => ({ pointer, value })));
  expect(examples.length).toBeGreaterThan(10);
  for (const { pointer, value } of examples) {
    expect({ pointer, value, faults: faultsOf(value, pointer) }).toEqual({ pointer, value, faults: [] });
  }
});

/** Parts of other schemas: what they look like is seen where they are used. */
const PARTS = new Set(['Page', 'Problem']);
const wholes = Object.keys(document.components.schemas).filter((name) => !PARTS.has(name));

test.each(wholes)('%s has a whole example', (name) => {
  const { examples } = document.components.schemas[name];
  expect(examples?.length ?? 0).toBeGreaterThan(0);
  const required: string[] = document.components.schemas[name].required ?? [];
  for (const field of required) expect(examples[0]).toHaveProperty(field);
});

// oxlint-disable-next-line typescript/no-explicit-any -- as the document
function failuresOf(operation: any): [string, any][] {
  return Object.entries(operation.responses)
    .filter(([status]) => Number(status) >= 400)
    .map(([status, response]) => [status, resolved(response)]);
}

// oxlint-disable-next-line typescript/no-explicit-any -- as the document
function resolved(response: any): any {
  return response.$ref ? placeOf(response.$ref) : response;
}
