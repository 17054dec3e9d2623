import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { fieldsAtFault } from './ask.ts';
import type { Client } from './client.ts';
import { exchangeRaw, hasCaughtUp, rawRequest } from './raw.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

const JSON_TYPE = { 'content-type': 'application/json' };

/** Creates a contact with a body given as text. */
const send = (client: Client, body: string) =>
  client.send({ method: 'POST', path: '/contacts', headers: JSON_TYPE, body });

/** An object whose member holds nested arrays, `levels` deep in all. */
const nested = (levels: number) => `{"name":${'['.repeat(levels - 1)}${']'.repeat(levels - 1)}}`;

/** An object with `count` members in all. */
const members = (count: number) =>
  `{"name":"Kari",${Array.from({ length: count - 1 }, (_, number) => `"f${number}":{}`).join(',')}}`;

describe('the shape of a body', () => {
  test('may be 32 levels deep and not one more', async () => {
    const { client } = await world.workspace();
    const deep = await send(client, nested(32));
    expect(deep.body.details).toEqual([{ field: 'name', message: expect.not.stringContaining('32') }]);
    const deeper = await send(client, nested(33));
    expect([deeper.status, deeper.body]).toEqual([
      400,
      {
        error: 'name must not be nested more than 32 levels deep',
        code: 'invalid_request',
        details: [{ field: 'name', message: 'must not be nested more than 32 levels deep' }],
      },
    ]);
  });

  test.each([
    ['arrays', `{"name":${'['.repeat(50_000)}`],
    ['objects', '{"a":'.repeat(30_000)],
  ])('tens of thousands of nested %s are refused before they are parsed', async (_, body) => {
    const { client } = await world.workspace();
    const answer = await send(client, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  });

  test('may have 1 000 members in all and not one more', async () => {
    const { client } = await world.workspace();
    const many = await send(client, members(1_000));
    expect([many.status, fieldsAtFault(many).length > 0]).toEqual([400, true]);
    const elements = `{"name":[${'1,'.repeat(1_001)}1]}`;
    for (const body of [members(1_001), members(20_000), `{"name":{"a":${members(1_000)}}}`, elements]) {
      const answer = await send(client, body);
      expect([answer.status, answer.body]).toEqual([
        400,
        { error: 'The body has more than 1000 members', code: 'invalid_request' },
      ]);
    }
  });
});

describe('numbers are taken as written', () => {
  test.each(['9007199254740990.5', '1e-400', '1.5e-99999999999', '0.5', '1e400', '9007199254740993'])(
    '%s is refused',
    async (number) => {
      const { client } = await world.workspace();
      const answer = await client.send({
        method: 'POST',
        path: '/offers',
        headers: JSON_TYPE,
        body: `{"title":"x","one_time_revenue":${number}}`,
      });
      expect(answer.status).toBe(400);
      expect(fieldsAtFault(answer)).toContain('one_time_revenue');
    },
  );

  test('a whole number with more digits than are examined is out of range, not a fraction', async () => {
    const { client } = await world.workspace();
    const answer = await client.send({
      method: 'POST',
      path: '/offers',
      headers: JSON_TYPE,
      body: `{"weight":${'1'.repeat(65)},"one_time_revenue":-${'1'.repeat(65)},"recurring_revenue":0.${'3'.repeat(65)}}`,
    });
    expect(answer.body.details).toEqual(
      expect.arrayContaining([
        { field: 'weight', message: 'must be from 0 to 100' },
        { field: 'one_time_revenue', message: 'must be from 0 to 9007199254740991' },
        { field: 'recurring_revenue', message: 'must be whole kroner, without decimals' },
      ]),
    );
  });

  test.each([
    ['a whole number and nearly nothing', `1.${'0'.repeat(240_000)}1`],
    ['nearly nothing', `0.${'0'.repeat(240_000)}1`],
    ['minus signs', '-'.repeat(240_000)],
    [
      'many long numbers',
      Array.from({ length: 900 }, () => `1${'0'.repeat(120)}1.${'0'.repeat(110)}1`).join(),
    ],
  ])('%s in 240 kB is refused without a second look', async (_, number) => {
    const { client } = await world.workspace();
    expect((await send(client, `{"name":[${number}]}`)).status).toBe(400);
  });

  test.each([
    ['1.0', 1],
    ['12.50e1', 125],
    ['1e3', 1000],
    ['0.0', 0],
    ['9007199254740991', 9_007_199_254_740_991],
    ['100000000000000000000e-5', 1_000_000_000_000_000],
  ])('%s is taken as the whole number that it equals', async (number, value) => {
    const workspace = await world.workspace();
    const { id } = await workspace.offer();
    const answer = await workspace.client.send({
      method: 'PATCH',
      path: `/offers/${id}`,
      headers: JSON_TYPE,
      body: `{"one_time_revenue":${number}}`,
    });
    expect([answer.status, answer.body.data?.one_time_revenue]).toEqual([200, value]);
  });
});

test.each([
  ['{"name":x}', 'neither text in double quotes nor another value at line 1, column 9'],
  ["{'name':1}", 'neither text in double quotes nor another value at line 1, column 2'],
  ['{"name":"Kari",}', 'property name in double quotes expected at line 1, column 16'],
  ['{\n  "name": "Kari"\n  "notes": ""\n}', 'comma expected at line 3, column 3'],
  ['{"name":"Kari"', 'closing brace expected at line 1, column 15'],
  ['{"name":"Kari"} {}', 'nothing may follow the object at line 1, column 17'],
  ['{"name":"Kari" // her\n}', 'comments are not allowed at line 1, column 16'],
  ['{"name":"Ka\nri"}', 'line break in a string; write \\n at line 1, column 9'],
  ['{"name":"Kari', 'string without its closing quote at line 1, column 9'],
])('%j is refused with the place of its fault', async (body, fault) => {
  const { client } = await world.workspace();
  expect((await send(client, body)).body).toEqual({
    error: `The body is not valid JSON: ${fault}`,
    code: 'malformed_json',
  });
});

test('a byte order mark is refused, and the message names it', async () => {
  const { client } = await world.workspace();
  const answer = await send(client, '\uFEFF{"name":"Kari"}');
  expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
  expect(answer.body.error).toContain('byte order mark');
});

describe('a body that is not needed for the answer', () => {
  const MEGABYTE = ' '.repeat(1_048_576);
  const HEAD = ['Host: 127.0.0.1', 'Content-Type: application/json'];

  test.each([
    ['with a length', 'Content-Length: 1048576', MEGABYTE],
    ['in chunks', 'Transfer-Encoding: chunked', `100000\r\n${MEGABYTE}\r\n0\r\n\r\n`],
  ])('is read, so that the answer is not lost: %s', async (_, header, body) => {
    const { client } = await world.workspace();
    const head = [...HEAD, `Authorization: Bearer ${client.token}`];
    const parts = [
      rawRequest('POST /api/v1/contacts HTTP/1.1', [...head, header], body),
      rawRequest('GET /api/v1/me HTTP/1.1', head),
    ];
    const { answers, closed } = await exchangeRaw(world.port, parts, { expected: 2 });
    expect([answers.map(({ status }) => status), closed]).toEqual([[413, 200], false]);
  });

  test('is waited for: a proxy that gets the answer earlier may break it off and send the next request', async () => {
    const socket = connect(world.port, '127.0.0.1').setEncoding('utf8');
    let heard = '';
    socket.on('data', (text) => (heard += text));
    socket.write(rawRequest('POST /api/v1/contacts HTTP/1.1', [...HEAD, 'Content-Length: 9'], '{"name":'));
    await hasCaughtUp(world.origin);
    expect(heard).toBe('');
    socket.write(rawRequest('1GET /api/v1/me HTTP/1.1', HEAD));
    await expect.poll(() => heard.match(/HTTP/g)).toHaveLength(2);
    expect(heard).not.toMatch(/^connection: close/im);
    socket.destroy();
  });

  test('of a GET ends its connection', async () => {
    const request = rawRequest('GET /docs/icon.svg HTTP/1.1', [...HEAD, 'Content-Length: 9'], '{"name":');
    const { answers, closed } = await exchangeRaw(world.port, [request]);
    expect([answers.map(({ headers }) => headers.get('connection')), closed]).toEqual([['close'], true]);
  });

  test.each([
    ['with a length', 'Content-Length: 1000000000000', MEGABYTE],
    ['in chunks', 'Transfer-Encoding: chunked', `100000\r\n${MEGABYTE}\r\n`],
  ])('is not read without limit: %s', async (_, header, part) => {
    const socket = connect(world.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(rawRequest('POST /api/v1/contacts HTTP/1.1', [...HEAD, header]));
    const sending = setInterval(() => socket.write(part), 1);
    await new Promise((resolve) => socket.once('close', resolve));
    clearInterval(sending);
    expect(socket.bytesWritten).toBeLessThan(256 * MEGABYTE.length);
  });
});
