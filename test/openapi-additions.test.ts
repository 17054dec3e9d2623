import { expect, test } from 'vitest';
import { description } from './promises.ts';

// oxlint-disable-next-line typescript/no-explicit-any -- a document of many shapes
const document: any = description;

/** The operations of the contract; all others are additions. */
const CONTRACT = [
  'GET /users',
  'GET /me',
  'GET /companies',
  'POST /companies',
  'GET /companies/{orgNr}',
  'PATCH /companies/{orgNr}',
  'POST /companies/{orgNr}/notes',
  'POST /tasks',
  'GET /tasks/{id}',
  'PATCH /tasks/{id}',
  'POST /offers',
  'GET /offers/{id}',
  'PATCH /offers/{id}',
  'POST /contacts',
  'GET /contacts/{id}',
  'PATCH /contacts/{id}',
  'POST /contacts/{id}/points',
  'GET /contacts/{id}/points',
  'POST /contacts/{id}/companies',
  'GET /contacts/{id}/companies',
];

test('what is not of the contract is marked as an addition, and nothing else', () => {
  const marked = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, object>)
      .filter(([, operation]) => 'x-addition' in operation)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods as object).map((method) => `${method.toUpperCase()} ${path}`),
  );
  expect(marked).toEqual(all.filter((route) => !CONTRACT.includes(route)));
  expect(CONTRACT.filter((route) => !all.includes(route))).toEqual([]);
});

test('what was added to operations of the contract is marked, and nothing else of them', () => {
  const parameters = (method: string, path: string, mark: boolean) =>
    document.paths[path][method].parameters
      .filter(({ schema }: { schema: object }) => 'x-addition' in schema === mark)
      .map(({ name }: { name: string }) => name);
  expect(parameters('get', '/companies', false)).toEqual(['limit', 'offset']);
  expect(parameters('get', '/users', false)).toEqual(['email', 'limit', 'offset']);
  for (const [path, methods] of Object.entries<
    Record<string, { parameters?: { in: string; name: string }[] }>
  >(document.paths)) {
    for (const [method, { parameters: given = [] }] of Object.entries(methods)) {
      const headers = given.filter((each) => each.in === 'header').map(({ name }) => name);
      if (headers.length > 0) expect(parameters(method, path, true)).toEqual(expect.arrayContaining(headers));
    }
  }
  const marked = Object.entries<object>(document.components.headers).filter(
    ([, about]) => 'x-addition' in about,
  );
  expect(marked.map(([name]) => name)).toEqual(['ETag', 'Idempotency-Replayed']);
  const { properties } = document.components.schemas.Page;
  const added = Object.keys(properties).filter((name) => 'x-addition' in properties[name]);
  expect(added).toEqual(['next_cursor']);
});
