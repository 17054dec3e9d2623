import { describe, expect, test } from 'vitest';
import { ask, fieldsAtFault, methodOf, sampleOf, withQuery } from './ask.ts';
import { NOT_UUIDS, UUIDS } from './corpora.ts';
import { OPERATIONS } from './operations.ts';
import type { Operation } from './operation.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'HEAD', 'OPTIONS'];
const NIL = '00000000-0000-0000-0000-000000000000';
const paths = [...Map.groupBy(OPERATIONS, ({ route }) => route.split(' ')[1]!)].map(([path, those]) => ({
  path,
  allowed: those.map(methodOf).flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : method)),
}));
const filled = (path: string) =>
  path
    .replace('{orgNr}', '923609016')
    .replace('{id}', NIL)
    .replace(/\{(pointId|linkId)\}/, '1');
const pathOf = ({ route }: Operation) => filled(route.split(' ')[1]!);
const PAGED = OPERATIONS.filter(({ paged }) => paged);

describe.each(paths)('$path', ({ path, allowed }) => {
  test('refuses every other method with 405 and names those it takes', async () => {
    const { client } = await world.workspace();
    for (const method of METHODS.filter((candidate) => !allowed.includes(candidate))) {
      const answer = await client.send({ method, path: filled(path) });
      expect([method, answer.status]).toEqual([method, 405]);
      expect(answer.headers.allow?.split(', ').toSorted()).toEqual(allowed.toSorted());
      if (method !== 'HEAD') expect(answer.body.code).toBe('method_not_allowed');
    }
  });

  test('is not found with a slash too many, in capitals or with more after it', async () => {
    const { client } = await world.workspace();
    for (const other of [
      `${path}/`,
      `/${path}`,
      `${path}//`,
      path.toUpperCase(),
      `${path}/x/y/z`,
      `${path};a=1`,
    ]) {
      const answer = await client.get(filled(other));
      expect([other, answer.status >= 400 && answer.status < 500]).toEqual([other, true]);
      // The change may be read as a parameter: of a path that refuses its value, or of one that has no GET.
      const isRefused =
        answer.status === 404 || (answer.status === 405 && !answer.headers.allow?.includes('GET'));
      expect(isRefused || fieldsAtFault(answer).length > 0).toBe(true);
    }
  });

  test('asks for a key before it says that a method is wrong', async () => {
    const answer = await world.client().send({ method: 'DELETE', path: filled(path) });
    expect(answer.status).toBe(401);
  });
});

describe('an unknown path', () => {
  test('is 404 below the base path, for every method', async () => {
    const { client } = await world.workspace();
    for (const path of [
      '',
      '/',
      '/nothing',
      '/companies/923609016/nothing',
      '/task',
      '/../me',
      '/me/..',
      '/.',
    ]) {
      for (const method of METHODS) {
        const answer = await client.send({ method, path });
        expect([method, path, answer.status]).toEqual([method, path, 404]);
        if (method !== 'HEAD') expect(answer.body.code).toBe('not_found');
      }
    }
  });

  test('below the base path asks for a key first', async () => {
    expect((await world.client().get('/nothing')).status).toBe(401);
    expect((await world.client('kb_x').get('/nothing')).status).toBe(401);
  });

  test('outside the base path is 404 as well', async () => {
    const { client } = await world.workspace();
    for (const path of [
      '/api',
      '/api/v2/me',
      '/API/V1/me',
      '//api/v1/me',
      '/me',
      '/favicon.ico',
      '/api/v11/me',
    ]) {
      const answer = await client.send({ path, absolute: true });
      expect([path, answer.status]).toEqual([path, 404]);
    }
  });
});

describe.each(OPERATIONS)('$route', (operation) => {
  const method = methodOf(operation);

  test('refuses query parameters it does not know, each by name', async () => {
    const workspace = await world.workspace();
    const sample = await sampleOf(operation, workspace);
    for (const [query, fields] of [
      ['unknown=1', ['unknown']],
      ['a=1&b=2&a=3', ['a', 'b']],
      ['Limit=5', ['Limit']],
      ['__proto__=1', ['__proto__']],
      ['constructor=1&toString=2', ['constructor', 'toString']],
      ['limit%00=1', ['limit\u0000']],
      ['=1', ['']],
    ] as const) {
      const answer = await ask(workspace.client, { ...sample, path: withQuery(sample.path, query) });
      expect([query, answer.status, answer.body.code, fieldsAtFault(answer)]).toEqual([
        query,
        400,
        'invalid_request',
        fields,
      ]);
    }
  });

  test('checks the permission before the request, and the key before both', async () => {
    const workspace = await world.workspace();
    const broken = {
      method,
      path: `${pathOf(operation).replace(NIL, 'x')}?unknown=1`,
      headers: { 'content-type': 'text/plain' },
      ...(method === 'GET' ? {} : { body: '{' }),
    };
    expect((await world.client().send(broken)).status).toBe(401);
    if (operation.needs.length > 0) {
      const { client } = await workspace.key([]);
      expect((await client.send(broken)).status).toBe(403);
    }
    expect((await workspace.client.send(broken)).status).toBe(method === 'GET' ? 400 : 415);
  });
});

/** A second id in a path, of a contact detail or a company link, is a number. */
const withRowId = (pattern: string) => pattern.replace(/\{(pointId|linkId)\}/, '1');

test.each(OPERATIONS.filter(({ route }) => route.includes('{id}')))(
  '$route refuses an id in the path that is no UUID',
  async (operation) => {
    const workspace = await world.workspace();
    const body = await operation.sample?.(workspace);
    const pattern = operation.route.split(' ')[1]!;
    for (const id of [
      ...NOT_UUIDS,
      '\u0000',
      '../me',
      '%2e%2e',
      `${NIL}\u0000`,
      `${NIL}/${NIL}`,
      'x'.repeat(2_000),
    ]) {
      const path = withRowId(pattern).replace('{id}', encodeURIComponent(id));
      const answer = await ask(workspace.client, { method: methodOf(operation), path, body });
      expect([id, answer.status, fieldsAtFault(answer)]).toEqual([id, 400, ['id']]);
    }
  },
);

test.each(OPERATIONS.filter(({ route }) => route.includes('{id}')))(
  '$route takes every id of the UUID form, and is 404 for one that does not exist',
  async (operation) => {
    const workspace = await world.workspace();
    const body = await operation.sample?.(workspace);
    const pattern = operation.route.split(' ')[1]!;
    for (const id of UUIDS.flatMap((each) => [each, each.toUpperCase()])) {
      const path = withRowId(pattern).replace('{id}', id);
      const answer = await ask(workspace.client, { method: methodOf(operation), path, body });
      expect([id, answer.status, answer.body.code]).toEqual([id, 404, 'not_found']);
    }
  },
);

test.each(OPERATIONS.filter(({ route }) => route.includes('{orgNr}')))(
  '$route takes nine digits in the path and nothing else',
  async (operation) => {
    const workspace = await world.workspace();
    const body = await operation.sample?.(workspace);
    const pattern = operation.route.split(' ')[1]!;
    const wrong = [
      '1',
      '12345678',
      '1234567890',
      '12345678a',
      ' 23456789',
      '923609016 ',
      '923 609 016',
      '-23609016',
    ];
    for (const orgnr of [...wrong, '92360901\u0000', '٩٢٣٦٠٩٠١٦', '923609016\n', 'NO923609016', '9.23e8']) {
      const path = pattern.replace('{orgNr}', encodeURIComponent(orgnr));
      const answer = await ask(workspace.client, { method: methodOf(operation), path, body });
      expect([orgnr, answer.status, fieldsAtFault(answer)]).toEqual([orgnr, 400, ['orgNr']]);
    }
    for (const orgnr of ['000000000', '999999999', '923609016']) {
      const path = pattern.replace('{orgNr}', orgnr);
      const answer = await ask(workspace.client, { method: methodOf(operation), path, body });
      // The register has the company 923609016, but no workspace has it.
      const isFound = operation.shared && orgnr === '923609016';
      expect([orgnr, answer.status]).toEqual([orgnr, isFound ? 200 : 404]);
    }
  },
);

test('a wrong path, an unknown query parameter and wrong fields are all named at once', async () => {
  const { client } = await world.workspace();
  const answer = await client.patch('/tasks/x?y=1', { title: 5, completed: 'yes', colour: 'red' });
  expect(answer.status).toBe(400);
  expect(fieldsAtFault(answer)).toEqual(['colour', 'completed', 'id', 'title', 'y']);
});

describe.each(PAGED)('$route', (operation) => {
  const path = pathOf(operation);
  const wrongNumbers = [
    '-1',
    '1.5',
    '1e1',
    'abc',
    '',
    ' 5',
    '5 ',
    '+5',
    '05',
    '0x5',
    '١',
    'true',
    'null',
    '1,000',
    '5;',
  ].concat([
    '2147483648',
    '9007199254740992',
    '1e20',
    '100000000000000000000',
    'NaN',
    'Infinity',
    '%00',
    '5%00',
  ]);

  test('refuses a limit outside 1 to 100 and an offset outside 0 to 10000', async () => {
    const { client } = await world.workspace();
    for (const [name, values] of [
      ['limit', ['0', '101', '1000000', ...wrongNumbers]],
      ['offset', ['10001', ...wrongNumbers]],
    ] as const) {
      for (const value of values) {
        const sent = value.startsWith('%') || value.endsWith('%00') ? value : encodeURIComponent(value);
        const answer = await client.get(`${path}?${name}=${sent}`);
        expect([name, value, answer.status, fieldsAtFault(answer)]).toEqual([name, value, 400, [name]]);
      }
    }
  });

  test('refuses a parameter that is given twice, both when equal and when not', async () => {
    const { client } = await world.workspace();
    for (const name of ['limit', 'offset']) {
      for (const values of ['5 5', '5 6', '5 x']) {
        const [one, two] = values.split(' ');
        const answer = await client.get(`${path}?${name}=${one}&${name}=${two}`);
        expect([name, values, answer.status, fieldsAtFault(answer)]).toEqual([name, values, 400, [name]]);
      }
    }
  });

  test('names limit and offset at once', async () => {
    const { client } = await world.workspace();
    const answer = await client.get(`${path}?offset=-1&limit=0&x=y`);
    expect(fieldsAtFault(answer)).toEqual(['limit', 'offset', 'x']);
  });

  test('takes the least and the greatest values, and defaults to limit 25 and offset 0', async () => {
    const { client } = await world.workspace();
    for (const [query, size, offset] of [
      ['', 25, 0],
      ['?limit=1', 1, 0],
      ['?limit=100&offset=0', 100, 0],
      ['?offset=10000', 25, 10_000],
      ['?limit=%31%30', 10, 0],
      ['?', 25, 0],
    ] as const) {
      const { status, body } = await client.get(path + query);
      expect([query, status, body.page?.size, body.page?.offset]).toEqual([query, 200, size, offset]);
    }
  });
});
