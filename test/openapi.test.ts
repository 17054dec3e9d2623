import { readFile } from 'node:fs/promises';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, test } from 'vitest';
import { api } from '../src/api.ts';
import { PROBLEMS } from '../src/http/problem.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { description } from './promises.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document of many shapes
const document: any = description;
const METHODS = new Set(['get', 'post', 'patch']);

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

/** What is wrong with a value, given where its schema stands in the document. */
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

test('openapi.json in the repository is what this checkout generates: npm run openapi', async () => {
  const file = await readFile(new URL('../openapi.json', import.meta.url), 'utf8');
  // Compared as a whole: the difference would be thousands of lines.
  expect(file === `${JSON.stringify(description, null, 2)}\n`).toBe(true);
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

test('every named schema is used', () => {
  const used = new Set([...objectsIn(document)].map(([, object]) => object['$ref']));
  const named = Object.keys(document.components.schemas).map((name) => `#/components/schemas/${name}`);
  expect(named.filter((name) => !used.has(name))).toEqual([]);
});

describe.each(operations)('$route', ({ route, operation }) => {
  test('has an id, a summary, a tag and says which permission it needs', () => {
    expect(operation.operationId).toMatch(/^[a-z][A-Za-z]+$/);
    expect(operation.summary).toMatch(/^[A-Z]/);
    expect(operation.tags).toHaveLength(1);
    const endpoint = api({ register: sandboxRegister() }).find((each) => each.route === route);
    expect(operation.description).toContain(`**Permission:** ${endpoint?.permission.title}`);
  });

  test('shows an example of each of its problems, which its schema admits', () => {
    for (const [status, response] of failuresOf(operation)) {
      const { schema, examples } = response.content['application/json'];
      expect(schema.$ref).toBe('#/components/schemas/Problem');
      expect(Object.keys(examples)).not.toEqual([]);
      for (const [code, { value }] of Object.entries<{ value: { code: string } }>(examples)) {
        expect(faultsOf(value, '/components/schemas/Problem')).toEqual([]);
        expect(value.code).toBe(code);
        expect(PROBLEMS[code as keyof typeof PROBLEMS]).toBe(Number(status));
        expect(response.description).toContain(`\`${code}\``);
      }
    }
  });

  test('documents the headers of its answers', () => {
    for (const [status, { headers }] of Object.entries<{ headers: object }>(operation.responses)) {
      const wanted = ['X-Request-Id', 'RateLimit', ...(HEADERS_OF[status] ?? [])];
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(wanted));
    }
  });
});

const HEADERS_OF: Record<string, string[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

test('operations have ids of their own', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('every problem code is documented by some operation, but for the one that belongs to none', () => {
  const documented = new Set(
    operations.flatMap(({ operation }) =>
      failuresOf(operation).flatMap(([, response]) =>
        Object.keys(response.content['application/json'].examples),
      ),
    ),
  );
  const missing = Object.keys(PROBLEMS).filter((code) => !documented.has(code));
  // A method that a path does not take is no operation.
  expect(missing).toEqual(['method_not_allowed']);
  expect(document.components.schemas.Problem.properties.code.enum).toEqual(Object.keys(PROBLEMS));
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
  return Object.entries(operation.responses).filter(([status]) => Number(status) >= 400);
}
