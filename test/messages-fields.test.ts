import { describe, expect, test } from 'vitest';
import type { Answer } from './client.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const workspace = await world.workspace();
const { client, owner } = workspace;
const company = await workspace.company();
const contact = await workspace.contact();

/** What an answer says of a field. Checks that its `error` begins with what it says of the first field. */
function saidOf(answer: Answer, field: string): string {
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_request']);
  const [first] = answer.body.details;
  expect(answer.body.error).toMatch(startOf(`${first.field} ${first.message}`));
  return answer.body.details.find((each: { field: string }) => each.field === field)?.message;
}

const startOf = (text: string) => new RegExp(`^${RegExp.escape(text)}`);

const NOTES = `/companies/${company.orgnr}/notes`;
const POINTS = `/contacts/${contact.id}/points`;
const LINKS = `/contacts/${contact.id}/companies`;
const TASK = { user_id: owner.id, title: 'Ring', due_date: '2026-01-15T09:00:00Z' };
const OFFER = { user_id: owner.id, title: 'Avtale', company_id: company.id };

describe('the answer to a body says of a field', () => {
  test.each([
    ['orgnr', '/companies', { orgnr: 923609016 }, 'must be a string of nine digits: put it in quotes'],
    ['orgnr', '/companies', { orgnr: '12345678' }, 'must be nine digits'],
    ['orgnr', '/companies', { orgnr: '923 609 016' }, 'must be nine digits and nothing else: send 923609016'],
    [
      'orgnr',
      '/companies',
      { orgnr: '923\u00A0609\u00A0016' },
      'must be nine digits and nothing else: send 923609016',
    ],
    [
      'orgnr',
      '/companies',
      { orgnr: '923609016MVA' },
      'must be nine digits and nothing else: send 923609016',
    ],
    [
      'orgnr',
      '/companies',
      { orgnr: 'NO 923 609 016 MVA' },
      'must be nine digits and nothing else: send 923609016',
    ],
    ['orgnr', '/companies', { orgnr: company.id }, 'must be an organisation number (nine digits), not an id'],
    ['orgnr', '/companies', { orgnr: null }, 'cannot be null'],
    ['orgnr', '/companies', {}, 'is required'],
    [
      'email_address',
      '/companies',
      { orgnr: '923609016', email_address: '' },
      'must be a valid email address; send null for none',
    ],
    [
      'status',
      '/companies',
      { orgnr: '923609016', status: 'Customer' },
      'must be one of lead, prospect, customer, former_customer, disqualified',
    ],
    ['status', '/companies', { orgnr: '923609016', status: null }, 'cannot be null'],
    [
      'assigned_to',
      '/companies',
      { orgnr: '923609016', assigned_to: 'kari@example.no' },
      'must be a UUID, not an email address: GET /users?email= finds the id',
    ],
    ['type', POINTS, { value: 'x' }, 'is required'],
    ['type', POINTS, { type: 'phone', value: 'x' }, 'must be one of email, mobile, telephone, other'],
    ['label', POINTS, { type: 'other', value: 'x' }, 'must not be blank when type is other'],
    ['text', NOTES, { text: ' ' }, 'must not be blank'],
    ['text', NOTES, { text: 5 }, 'must be a string, not a number'],
    ['text', NOTES, { text: ['x'] }, 'must be a string, not an array'],
    ['text', NOTES, { text: null }, 'cannot be null'],
    [
      'company_id',
      LINKS,
      { company_id: company.orgnr },
      `must be a UUID, not an organisation number: GET /companies/${company.orgnr} shows the id`,
    ],
    ['company_id', LINKS, { company_id: 923609016 }, 'must be a UUID in a string, not a number'],
    ['company_id', LINKS, { company_id: '17' }, 'must be a UUID, not a number'],
    [
      'company_id',
      LINKS,
      { company_id: 'x' },
      'must be a UUID, for example 018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10',
    ],
    ['id', '/contacts', { id: 17, name: 'x' }, 'must be a UUID in a string, not a number'],
    ['name', '/contacts', { name: 'x'.repeat(256) }, 'must be at most 255 characters'],
    [
      'user_id',
      '/tasks',
      { ...TASK, user_id: 'kari@example.no' },
      'must be a UUID, not an email address: GET /users?email= finds the id',
    ],
    ['user_id', '/tasks', { ...TASK, user_id: null }, 'cannot be null'],
    [
      'due_date',
      '/tasks',
      { ...TASK, due_date: 1_800_000_000 },
      'must be an ISO 8601 timestamp in a string, for example 2026-01-15T09:00:00+01:00, not a number',
    ],
    [
      'has_time_specified',
      '/tasks',
      { ...TASK, has_time_specified: 'true' },
      'must be true or false, not a string',
    ],
    ['completed', '/tasks', { ...TASK, completed: true }, 'cannot be set on creation'],
    ['created_at', '/tasks', { ...TASK, created_at: TASK.due_date }, 'cannot be set on creation'],
    [
      'one_time_revenue',
      '/offers',
      { ...OFFER, one_time_revenue: 99.5 },
      'must be whole kroner, without decimals',
    ],
    [
      'recurring_revenue',
      '/offers',
      { ...OFFER, recurring_revenue: '1500' },
      'must be a number, not a string: leave out the quotes',
    ],
    [
      'recurring_revenue',
      '/offers',
      { ...OFFER, recurring_revenue: -1 },
      'must be from 0 to 9007199254740991',
    ],
    ['weight', '/offers', { ...OFFER, weight: '50' }, 'must be a number, not a string: leave out the quotes'],
    ['weight', '/offers', { ...OFFER, weight: 0.5 }, 'must be a whole number'],
    ['weight', '/offers', { ...OFFER, weight: 'half' }, 'must be a whole number, not a string'],
    ['weight', '/offers', { ...OFFER, weight: null }, 'cannot be null'],
    ['weight', '/offers', { ...OFFER, weight: {} }, 'must be a whole number, not an object'],
    ['titel', '/offers', { ...OFFER, titel: 'x' }, 'is an unknown field; did you mean title?'],
    ['tilte', '/offers', { ...OFFER, tilte: 'x' }, 'is an unknown field; did you mean title?'],
    ['userId', '/tasks', { ...TASK, userId: owner.id }, 'is an unknown field; did you mean user_id?'],
    ['Title', '/tasks', { ...TASK, Title: 'x' }, 'is an unknown field; did you mean title?'],
    [
      'companyId',
      '/tasks',
      { ...TASK, companyId: company.id },
      'is an unknown field; did you mean related_company_id?',
    ],
    [
      'phone',
      '/companies',
      { orgnr: company.orgnr, phone: '1' },
      'is an unknown field; did you mean phone_number?',
    ],
    [
      'first_name',
      '/contacts',
      { name: 'Kari', first_name: 'Kari' },
      'is an unknown field; did you mean name?',
    ],
    [
      'email',
      '/contacts',
      { name: 'Kari', email: 'kari@example.no' },
      'is an unknown field: add it with POST /contacts/{id}/points',
    ],
    [
      'company_id',
      '/contacts',
      { name: 'Kari', company_id: company.id },
      'is an unknown field: link it with POST /contacts/{id}/companies',
    ],
    ['owner_id', '/offers', { ...OFFER, owner_id: owner.id }, 'is an unknown field'],
    // `revenue` may mean either of two fields, so the answer names neither.
    ['revenue', '/offers', { ...OFFER, revenue: 1 }, 'is an unknown field'],
    ['colour', '/tasks', { ...TASK, colour: 'red' }, 'is an unknown field'],
  ])('%s to %s with %j', async (field, path, body, message) => {
    expect(saidOf(await client.post(path, body), field)).toBe(message);
  });

  test.each([
    ['2026-01-15', 'must have a time and an offset, for example 2026-01-15T12:00:00+01:00'],
    ['2026-01-15T09:00:00', 'must end with Z or an offset, for example 2026-01-15T09:00:00+01:00'],
    ['2026-01-15T09:00:00.5-0330', 'must have an offset with a colon: 2026-01-15T09:00:00.5-03:30'],
    ['2026-01-15T09:00+01', 'must have an offset with a colon: 2026-01-15T09:00+01:00'],
    [
      '2026-06-30T23:59+60:00',
      'must be a date, a time and an offset that exist, in the years 0001 to 9999 of UTC',
    ],
    [
      '2026-02-30T09:00:00Z',
      'must be a date, a time and an offset that exist, in the years 0001 to 9999 of UTC',
    ],
    [
      '2026-01-15T09:00:00,5Z',
      'must be an ISO 8601 timestamp with Z or an offset, for example 2026-01-15T09:00:00+01:00',
    ],
    ['tomorrow', 'must be an ISO 8601 timestamp with Z or an offset, for example 2026-01-15T09:00:00+01:00'],
    ['+01', 'must be an ISO 8601 timestamp with Z or an offset, for example 2026-01-15T09:00:00+01:00'],
    ['2016-12-31T23:59:60Z', 'must not be a leap second'],
  ])('due_date of %s', async (due_date, message) => {
    expect(saidOf(await client.post('/tasks', { ...TASK, due_date }), 'due_date')).toBe(message);
  });

  test.each(['0', '9007199254740992', 'x'])('the id of a detail that is %s', async (id) => {
    const answer = await client.patch(`${POINTS}/${id}`, {});
    expect(saidOf(answer, 'pointId')).toBe('must be a whole number from 1 to 9007199254740991');
  });

  test('that a PATCH cannot change it', async () => {
    const answer = await client.patch(`/companies/${company.orgnr}`, { name: 'x', orgnr: '923609016' });
    expect(saidOf(answer, 'name')).toBe('cannot be changed');
    expect(saidOf(answer, 'orgnr')).toBe('cannot be changed');
  });
});

describe('the answer to an address says of', () => {
  test.each([
    ['id', '/tasks/17', 'must be a UUID, not a number'],
    ['id', `/contacts/${company.orgnr}/points`, 'must be a UUID, not a number'],
    [
      'related_company_id',
      `/tasks?related_company_id=${company.id}`,
      'is an unknown query parameter; did you mean company_id?',
    ],
    ['id', '/offers/x', 'must be a UUID, for example 018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10'],
    ['orgNr', `/companies/${company.id}`, 'must be an organisation number (nine digits), not an id'],
    ['orgNr', '/companies/NO923609016MVA', 'must be nine digits and nothing else: send 923609016'],
    [
      'email',
      '/users?email=kari+crm@example.no',
      'must be a valid email address; + means a space in a query, so send it as %2B',
    ],
    ['email', '/users?email=kari', 'must be a valid email address'],
    ['email', '/users?email=a@b.no&email=a@b.no', 'must be given once'],
    ['limit', '/companies?limit=101', 'must be a whole number from 1 to 100'],
    ['limit', '/companies?limit=1&limit=2', 'must be given once'],
    ['offset', '/companies?offset=x', 'must be a whole number from 0 to 10000'],
    ['offset', '/companies?offset=10001', 'must be at most 10000: to read on, begin with an empty cursor'],
    ['Limit', '/companies?Limit=5', 'is an unknown query parameter; did you mean limit?'],
    [
      'orgnr',
      '/companies?orgnr=923609016',
      'is an unknown query parameter: read one with GET /companies/{orgNr}',
    ],
    [
      'company_id',
      `/notes?company_id=${company.id}`,
      'is an unknown query parameter: read those of one with GET /companies/{orgNr}/timeline',
    ],
    ['page', '/companies?page=2', 'is an unknown query parameter'],
    ['page', '/me?page=2', 'is an unknown query parameter'],
  ])('%s in %s', async (field, path, message) => {
    expect(saidOf(await client.get(path), field)).toBe(message);
  });

  test('a slash at its end', async () => {
    for (const path of ['/me/', '/companies/', `/companies/${company.orgnr}/`, `${POINTS}/`]) {
      const { status, body } = await client.get(path);
      expect([path, status, body.error]).toEqual([
        path,
        404,
        'No such path: leave out the slash at the end. The paths are described at /docs',
      ]);
    }
    expect((await client.get('/nothing')).body.error).toBe('No such path; the paths are described at /docs');
  });

  test.each(['/', '/nothing/'])(
    '%s, nothing of the slash at its end, because there is no path without it either',
    async (path) => {
      const { status, body } = await client.get(path);
      expect([status, body.error]).toEqual([404, 'No such path; the paths are described at /docs']);
    },
  );

  test('a method', async () => {
    const answer = await client.send({ method: 'DELETE', path: '/companies' });
    expect([answer.status, answer.body.error]).toEqual([405, 'Method not allowed; allowed: GET, HEAD, POST']);
    const other = await client.send({ method: 'PUT', path: '/tasks' });
    expect(other.body.error).toBe('Method not allowed; allowed: GET, HEAD, POST');
  });
});
