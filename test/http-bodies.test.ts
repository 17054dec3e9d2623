import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { fieldsAtFault } from './ask.ts';
import type { Client } from './client.ts';
import { createWorld } from './world.ts';

const world = await createWorld();

const JSON_TYPE = { 'content-type': 'application/json' };
const LIMIT = 262_144;

/** Creates a contact with a body given as bytes. */
const send = (client: Client, body: string | Buffer, headers: Record<string, string> = JSON_TYPE) =>
  client.send({ method: 'POST', path: '/contacts', headers, body });

test('an operation that takes no body refuses the fields of one, and changes nothing', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const browser = await workspace.signIn();
  const contact = `/contacts/${(await workspace.contact()).id}`;
  const company = `/companies/${(await workspace.company()).orgnr}`;
  const removal = { method: 'DELETE', path: contact, headers: JSON_TYPE };
  const body = '{"dry_run":true}';
  const answers = [
    await client.send({ ...removal, body }),
    await browser.send({ method: 'POST', path: `${company}/archive`, headers: JSON_TYPE, body }),
  ];
  for (const answer of answers) expect([answer.status, fieldsAtFault(answer)]).toEqual([400, ['dry_run']]);
  expect((await client.get(contact)).status).toBe(200);
  expect((await client.get(company)).body.data.is_archived).toBe(false);
  expect((await client.send({ ...removal, body: '{}' })).status).toBe(204);
});

describe('a body that is not a JSON object', () => {
  test.each([
    ['nothing', ''],
    ['blanks', ' \r\n\t'],
    ['an open brace', '{'],
    ['text', 'name=Kari'],
    ['a missing quote', '{"name:"Kari"}'],
    ['single quotes', "{'name':'Kari'}"],
    ['a comma at the end', '{"name":"Kari",}'],
    ['a comment', '{"name":"Kari"/* */}'],
    ['two objects', '{"name":"Kari"}{"name":"Ola"}'],
    ['NaN', '{"name":NaN}'],
    ['a raw line break in text', '{"name":"Ka\nri"}'],
    ['a raw NUL', '{"name":"Ka\0ri"}'],
    ['a byte order mark', '\uFEFF{"name":"Kari"}'],
    ['an array', '[{"name":"Kari"}]'],
    ['an empty array', '[]'],
    ['null', 'null'],
    ['a number', '5'],
    ['true', 'true'],
    ['a string', '"{}"'],
    ['UTF-16', Buffer.from('{"name":"Kari"}', 'utf16le')],
    ['Latin-1', Buffer.from('{"name":"Kåre"}', 'latin1')],
    [
      'UTF-8 cut short',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xf0, 0x9f, 0x91]), Buffer.from('"}')]),
    ],
    [
      'UTF-8 longer than it has to be',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xc0, 0xaf]), Buffer.from('"}')]),
    ],
    [
      'a surrogate in UTF-8',
      Buffer.concat([Buffer.from('{"name":"'), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from('"}')]),
    ],
  ])('%s is malformed JSON', async (_, body) => {
    const { client } = await world.workspace();
    const answer = await send(client, body);
    expect([answer.status, answer.body.code]).toEqual([400, 'malformed_json']);
  });

  test('none at all, with and without a content type, is malformed JSON', async () => {
    const { client, contact } = await world.workspace();
    const path = `/contacts/${(await contact()).id}`;
    for (const headers of [
      {},
      JSON_TYPE,
      { ...JSON_TYPE, 'content-length': '0' },
      { 'content-length': '0' },
    ]) {
      for (const request of [
        { method: 'POST', path: '/contacts' },
        { method: 'PATCH', path },
      ]) {
        const { status, body } = await client.send({ ...request, headers });
        expect([request.method, headers, status, body.code]).toEqual([
          request.method,
          headers,
          400,
          'malformed_json',
        ]);
      }
    }
  });
});

test('a field that is given twice is named, but not one within a text', async () => {
  const { client } = await world.workspace();
  const answer = await send(client, String.raw`{"name":"Kari","notes":"a","n\u0061me":"Ola","notes":"b"}`);
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  expect(fieldsAtFault(answer)).toEqual(['name', 'notes']);
  const quoted = await send(client, String.raw`{"name":"\"name\":","notes":"{\"a\":1,\"a\":2} \\"}`);
  expect([quoted.status, quoted.body.data.name]).toEqual([201, '"name":']);
});

test('blanks around the JSON are ignored, and a number means its exact value, however it is spelled', async () => {
  const { client, owner, company } = await world.workspace();
  const rest = `"title":"x","user_id":"${owner.id}","company_id":"${(await company()).id}"`;
  for (const [spelled, value] of [
    ['5e1', 50],
    ['50.0', 50],
    ['-0', 0],
    ['1E+2', 100],
    [`50.${'0'.repeat(61)}`, 50],
  ] as const) {
    const body = ` \r\n{${rest}, "weight" : ${spelled} }\n`;
    const answer = await client.send({ method: 'POST', path: '/offers', headers: JSON_TYPE, body });
    expect([spelled, answer.status, answer.body.data?.weight]).toEqual([spelled, 201, value]);
    expect(answer.text).toContain(`"weight":${value}`);
  }
  for (const spelled of [
    '9007199254740993',
    '1.00000000000000000001',
    '9007199254740990.9',
    '1e400',
    '0.5',
    '-1',
    // More than 64 characters.
    `50.${'0'.repeat(62)}`,
  ]) {
    const body = `{${rest},"one_time_revenue":${spelled}}`;
    const answer = await client.send({ method: 'POST', path: '/offers', headers: JSON_TYPE, body });
    expect([spelled, answer.status, fieldsAtFault(answer)]).toEqual([spelled, 400, ['one_time_revenue']]);
  }
});

test.each(['1e400', '-1e400', '1e999999'])(
  '%s, which no number can hold, is refused with the range of the field',
  async (spelled) => {
    const { client } = await world.workspace();
    const body = `{"one_time_revenue":${spelled},"weight":${spelled}}`;
    const { details } = (await client.send({ method: 'POST', path: '/offers', headers: JSON_TYPE, body }))
      .body;
    expect(details).toContainEqual({
      field: 'one_time_revenue',
      message: 'must be from 0 to 9007199254740991',
    });
    expect(details).toContainEqual({ field: 'weight', message: 'must be from 0 to 100' });
  },
);

describe('the content type', () => {
  const body = '{"name":"Kari"}';

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'application/json; charset="utf-8"',
    'application/json; charset=utf8',
    'application/json; charset=UTF8',
    'APPLICATION/JSON',
    'application/json ; a=b',
  ])('%s is taken', async (type) => {
    const { client } = await world.workspace();
    expect((await send(client, body, { 'content-type': type })).status).toBe(201);
  });

  test.each([
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonx',
    'application/json-patch+json',
    'application/merge-patch+json',
    'application/vnd.api+json',
    'application/xml',
    'application/octet-stream',
    'json',
    '*/*',
    'application/json, text/plain',
    'application/json; charset=iso-8859-1',
    'application/json; charset=utf-16',
    'application/json; charset=utf8mb4',
  ])('%s is refused', async (type) => {
    const { client } = await world.workspace();
    const answer = await send(client, body, { 'content-type': type });
    expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
  });

  test('cannot be left out when there is a body', async () => {
    const { client } = await world.workspace();
    for (const headers of [{}, { 'content-type': '' }] as Record<string, string>[]) {
      const answer = await send(client, body, headers);
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
    }
  });

  test.each(['gzip', 'deflate', 'br', 'zstd', 'GZIP', 'gzip, identity'])(
    'a body in %s is not unpacked',
    async (coding) => {
      const { client } = await world.workspace();
      const answer = await send(client, gzipSync(body), { ...JSON_TYPE, 'content-encoding': coding });
      expect([answer.status, answer.body.code]).toEqual([415, 'unsupported_media_type']);
    },
  );

  test('a body with Content-Encoding: identity is taken', async () => {
    const { client } = await world.workspace();
    expect((await send(client, body, { ...JSON_TYPE, 'content-encoding': 'identity' })).status).toBe(201);
  });
});

const padded = (size: number) => {
  const body = '{"name":"Kari"}';
  return body + ' '.repeat(size - body.length);
};

describe('the size of a body', () => {
  test('may be 256 KiB and not a byte more, with a length and in chunks', async () => {
    const { client } = await world.workspace();
    const chunks = { ...JSON_TYPE, 'transfer-encoding': 'chunked' };
    for (const headers of [JSON_TYPE, chunks]) {
      expect((await send(client, padded(LIMIT), headers)).status).toBe(201);
      const answer = await send(client, padded(LIMIT + 1), headers);
      expect([answer.status, answer.body.code]).toEqual([413, 'payload_too_large']);
    }
  });

  test('of many megabytes is refused as well', async () => {
    const { client } = await world.workspace();
    const answer = await send(client, padded(32 * LIMIT)).catch((error: Error) => error);
    // The server may answer and hang up before all is sent; a client that only writes sees the connection go.
    if (answer instanceof Error) expect(answer.message).toMatch(/ECONNRESET|EPIPE/);
    else expect(answer.status).toBe(413);
    expect((await client.get('/me')).status).toBe(200);
  });

  test('a name of 250 kB is refused as a name that is too long', async () => {
    const { client } = await world.workspace();
    const answer = await send(client, JSON.stringify({ name: 'x'.repeat(250_000) }));
    expect([answer.status, fieldsAtFault(answer)]).toEqual([400, ['name']]);
    expect(answer.text.length).toBeLessThan(1_000);
  });
});
