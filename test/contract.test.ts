import { describe, expect, test } from 'vitest';
import { api } from '../src/api.ts';
import { Waits } from '../src/changes/waits.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { ask, sampleOf } from './ask.ts';
import { OPERATIONS } from './operations.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const endpoints = api({ register: sandboxRegister(), waits: new Waits() });

test('the API has the operations of its contract and no others', () => {
  const routes = endpoints.map(({ route }) => route);
  expect(routes.toSorted()).toEqual(OPERATIONS.map(({ route }) => route).toSorted());
});

test.each(OPERATIONS)('$route takes the fields of its body and no others', ({ route, body = {} }) => {
  const endpoint = endpoints.find((candidate) => candidate.route === route);
  expect(Object.keys(endpoint?.body?.shape ?? {}).toSorted()).toEqual(Object.keys(body).toSorted());
});

test.each(OPERATIONS)(
  '$route answers a valid request with its success status, its fields in data, and the other members of its contract',
  async (operation) => {
    const workspace = await world.workspace();
    const answer = await ask(workspace.client, await sampleOf(operation, workspace));
    expect(answer.status).toBe(operation.success);
    if (operation.success === 204) {
      expect([answer.text, answer.headers['content-type']]).toEqual(['', undefined]);
      return;
    }
    const rows = operation.list ? answer.body.data : [answer.body.data];
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(Object.keys(row).toSorted()).toEqual(operation.shows.toSorted());
    const beside =
      operation.paged || operation.cursored || operation.route === 'GET /changes'
        ? ['page']
        : operation.route === 'POST /companies'
          ? ['created']
          : [];
    expect(Object.keys(answer.body).toSorted()).toEqual(['data', ...beside].toSorted());
  },
);

test.each(OPERATIONS.filter(({ sample }) => sample))(
  '$route shows what was sent in the fields it takes',
  async (operation) => {
    const workspace = await world.workspace();
    const sample = await sampleOf(operation, workspace);
    const { data } = (await ask(workspace.client, sample)).body;
    const shown = operation.route.endsWith('/notes') ? { text: data.content.text } : data;
    const sent = { ...sample.body, ...(sample.body?.['due_date'] ? { due_date: data.due_date } : {}) };
    expect(shown).toMatchObject(sent);
    expect(Date.parse(data.due_date)).toEqual(Date.parse(String(sample.body?.['due_date'])));
  },
);

test.each(endpoints.filter(({ method }) => method === 'PATCH'))(
  '$route fills in no absent field',
  ({ body }) => {
    expect(body?.parse({})).toEqual({});
  },
);

async function open() {
  const answer = await fetch(`${world.origin}/api/v1/openapi.json`);
  // oxlint-disable-next-line typescript/no-explicit-any -- a document of many shapes
  return { status: answer.status, headers: answer.headers, body: (await answer.json()) as any };
}

describe('the description of the API', () => {
  test('is OpenAPI 3.1 of version 1.0.0, below the base path, and asks for no key', async () => {
    const { status, headers, body } = await open();
    expect(status).toBe(200);
    expect(headers.get('content-type')).toMatch(/^application\/json\b/);
    expect(headers.has('access-control-allow-origin')).toBe(false);
    expect(body).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } });
    expect(body.servers).toEqual([{ url: '/api/v1' }]);
  });

  test('names every operation, its permission and the bearer key', async () => {
    const { body } = await open();
    for (const { route, needs } of OPERATIONS) {
      const [method = '', path = ''] = route.split(' ');
      const { description } = body.paths[path][method.toLowerCase()];
      for (const name of needs === 'anyRead' ? ['companies:read', 'offers:read'] : needs) {
        expect(description).toContain(name);
      }
    }
    expect(body.security).toEqual([{ apiKey: [] }]);
    expect(body.components.securitySchemes.apiKey).toMatchObject({ type: 'http', scheme: 'bearer' });
  });

  test('says of every body which fields it takes and which are required', async () => {
    const { body } = await open();
    for (const { route, body: fields } of OPERATIONS.filter(({ body }) => body)) {
      const [method = '', path = ''] = route.split(' ');
      const { $ref } = body.paths[path][method.toLowerCase()].requestBody.content['application/json'].schema;
      const schema = body.components.schemas[$ref.split('/').at(-1)];
      const required = Object.entries(fields!)
        .filter(([, field]) => field.required)
        .map(([name]) => name);
      expect(Object.keys(schema.properties).toSorted()).toEqual(Object.keys(fields!).toSorted());
      expect((schema.required ?? []).toSorted()).toEqual(required.toSorted());
      expect(schema.additionalProperties).toBe(false);
    }
  });
});
