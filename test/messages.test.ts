import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { createWorld } from './world.ts';

const world = await createWorld();
const workspace = await world.workspace();
const { client, owner } = workspace;
const company = await workspace.company();
const contact = await workspace.contact();
const task = await workspace.task();

const TASK = { user_id: owner.id, title: 'Ring', due_date: '2026-01-15T09:00:00Z' };
const OFFER = { user_id: owner.id, title: 'Avtale', company_id: company.id };

describe('many offences', () => {
  test('are counted beside the first', async () => {
    const { body } = await client.post('/tasks', { title: ' ', due_date: 'x', colour: 'red' });
    expect(body.error).toBe('title must not be blank (and 3 more: see details)');
    expect(body.details).toHaveLength(4);
  });

  test('beyond 20 are only counted, without delay', async () => {
    const names = Array.from({ length: 900 }, (_, number) => [`f${number}`, 1]);
    const { body, text } = await client.post('/contacts', Object.fromEntries(names));
    expect(body.error).toBe('name is required (and 900 more: details has the first 20)');
    expect(body.details).toHaveLength(20);
    expect(text.length).toBeLessThan(2_000);
  });

  test('of path, query and body are counted together', async () => {
    const query = Array.from({ length: 15 }, (_, number) => `q${number}=1`).join('&');
    const names = Array.from({ length: 15 }, (_, number) => [`f${number}`, 1]);
    const { body } = await client.patch(`/tasks/17?${query}`, Object.fromEntries(names));
    expect(body.error).toBe('id must be a UUID, not a number (and 30 more: details has the first 20)');
    expect(body.details).toHaveLength(20);
  });

  test('under long names show the first 100 characters of each, and no half of a character', async () => {
    const long = `${'x'.repeat(99)}💩${'y'.repeat(1_000)}`;
    const { body } = await client.post('/contacts', { name: 'Kari', [long]: 1 });
    expect(body.details[0].field).toBe(`${'x'.repeat(99)}💩`);
    expect(body.error).toBe(`${'x'.repeat(99)}💩 is an unknown field`);
    const query = await client.get(`/me?${'z'.repeat(3_000)}=1`);
    expect(query.body.details[0].field).toBe('z'.repeat(100));
    const broken = await client.post('/contacts', { name: 'Kari', '\ud800x': 1 });
    expect(broken.body.details).toEqual([{ field: '\ufffdx', message: 'is an unknown field' }]);
    const nameless = await client.get('/me?=1');
    expect(nameless.body.error).toBe('"" is an unknown query parameter');
  });
});

describe('Authorization', () => {
  const { token = '' } = client;
  const HOW = 'send Authorization: Bearer <API_KEY>';

  test.each([
    ['nothing', undefined, `No API key; ${HOW}`],
    ['the key alone', token, `The header has the key alone; ${HOW}`],
    ['Basic', `Basic ${btoa(`${token}:`)}`, `Basic authentication is not supported; ${HOW}`],
    ['a tab', `Bearer\t${token}`, 'There is a tab after Bearer; put a space in its place'],
    ['another scheme', `Token ${token}`, `The header does not begin with Bearer; ${HOW}`],
    ['something else', 'x y z', `The header does not begin with Bearer; ${HOW}`],
    ['Bearer alone', 'Bearer', `There is no key after Bearer; ${HOW}`],
    ['Bearer twice', `Bearer Bearer ${token}`, 'Bearer occurs twice in the header; send it once'],
    ['quotes', `Bearer "${token}"`, 'The key is in quotes; remove them'],
    ['single quotes', `Bearer '${token}'`, 'The key is in quotes; remove them'],
    ['a placeholder', 'Bearer <API_KEY>', 'The header has a placeholder; put your key in its place'],
    ['a variable', 'Bearer $KEY', 'The header has a placeholder; put your key in its place'],
    ['another variable', 'Bearer {{apiKey}}', 'The header has a placeholder; put your key in its place'],
    ['words', 'Bearer YOUR_API_KEY', 'The header has a placeholder; put your key in its place'],
    [
      'a key of another service',
      'Bearer sk_test_4eC39HqLyjWDarjtT1zdp7dc',
      'The API key is malformed, unknown, expired or revoked',
    ],
    ['a wrong key', `Bearer ${token.slice(0, -1)}`, 'The API key is malformed, unknown, expired or revoked'],
  ])('with %s', async (_, authorization, error) => {
    const headers = authorization === undefined ? {} : { authorization };
    const answer = await world.client().send({ path: '/me', headers });
    expect([answer.status, answer.body]).toEqual([401, { error, code: 'unauthorized' }]);
  });
});

describe('what only the database knows is reported, too:', () => {
  test('an id that was used', async () => {
    const offer = await workspace.offer({ company_id: company.id });
    for (const [path, body, what] of [
      ['/offers', { ...OFFER, id: offer.id }, 'an offer'],
      ['/tasks', { ...TASK, id: task.id }, 'a task'],
      ['/contacts', { name: 'Kari', id: contact.id }, 'a contact'],
    ] as const) {
      const answer = await client.post(path, body);
      expect(answer.body).toEqual({
        error: `The id ${body.id} already belongs to ${what}; read it to check the earlier request`,
        code: 'id_already_used',
        details: [{ field: 'id', message: 'is already used' }],
      });
    }
  });

  test('references', async () => {
    const nobody = randomUUID();
    const answer = await client.post('/tasks', { ...TASK, user_id: nobody, related_company_id: nobody });
    expect(answer.body).toEqual({
      error: 'user_id is not a user in this workspace (and 1 more: see details)',
      code: 'invalid_reference',
      details: [
        { field: 'user_id', message: 'is not a user in this workspace' },
        { field: 'related_company_id', message: 'is not a company in this workspace, or is deleted' },
      ],
    });
  });

  test('a number with a wrong check digit', async () => {
    const { body } = await client.post('/companies', { orgnr: '923609017' });
    expect(body.error).toBe('923609017 is not an organisation number: its check digit is wrong');
  });

  test('a register that does not answer', async () => {
    const { body } = await client.post('/companies', { orgnr: '338555555' });
    expect(body.error).toBe(
      'The sandbox register (REGISTER=sandbox) is unavailable; wait as Retry-After says. Nothing was created',
    );
  });
});
