import { describe, expect, test, vi } from 'vitest';
import { createWorld } from '../../test/world.ts';
import { freshOrgnr } from '../../test/workspace.ts';
import { RegisterUnavailable, type Register } from '../register/register.ts';
import { sandboxRegister } from '../register/sandbox/sandbox.ts';

const world = await createWorld();

const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** A register that counts what it is asked. */
function watched(find: Register['find']) {
  const asked = vi.fn<Register['find']>(find);
  return { asked, register: { ...sandboxRegister(), find: asked } };
}

test('a new company has what the register says and what the API promises', async () => {
  const { client } = await world.workspace();
  const { status, body } = await client.post('/companies', { orgnr: '333333333' });
  expect(status).toBe(201);
  expect(body).toEqual({
    data: {
      id: expect.stringMatching(UUID_V7),
      orgnr: '333333333',
      name: 'ALMINNELIG PRØVE AS',
      status: 'prospect',
      assigned_to: null,
      source: 'api',
      org_form: 'AS',
      registered_at: '2015-06-01',
      employees: 12,
      nace_primary: '62.100',
      email_address: 'post@alminnelig.example',
      phone_number: '00 00 33 33',
      mobile_number: '000 33 333',
      website_url: 'www.alminnelig.example',
      is_archived: false,
      is_deleted: false,
    },
    created: true,
  });
  expect((await client.get('/companies/333333333')).body).toEqual({ data: body.data });
});

test.each([
  ['withholds the headcount', '305000000', { employees: 0, nace_primary: '43.221' }],
  ['states no industry', '310000000', { employees: 7, nace_primary: '00.000' }],
  [
    'states no contact field',
    '318111111',
    { email_address: null, phone_number: null, mobile_number: null, website_url: null },
  ],
  [
    'has contact fields that nobody checked',
    '336222222',
    { email_address: 'post@rare-kontakter. example', phone_number: '03080' },
  ],
  ['has a branch', '311777777', { org_form: 'BEDR' }],
])('a unit of which the register %s is created', async (_, orgnr, expected) => {
  const { client } = await world.workspace();
  const { status, body } = await client.post('/companies', { orgnr });
  expect(status).toBe(201);
  expect(body.data).toMatchObject(expected);
});

test('a name is shown up to its 255th character', async () => {
  const { client } = await world.workspace();
  const { body } = await client.post('/companies', { orgnr: '300999999' });
  expect(body.data.name).toHaveLength(255);
});

describe('values of the caller take precedence over those of the register', () => {
  const own = {
    email_address: 'ny@example.no',
    phone_number: '1',
    mobile_number: '2',
    website_url: 'https://example.no/æ?ø=å',
  };

  test.each(Object.entries(own))('%s by itself', async (field, value) => {
    const { client } = await world.workspace();
    const plain = (await client.post('/companies', { orgnr: '333333333' })).body.data;
    const other = await world.workspace();
    const { data } = (await other.client.post('/companies', { orgnr: '333333333', [field]: value })).body;
    expect(data).toEqual({ ...plain, id: data.id, [field]: value });
  });

  test.each(Object.keys(own))('null in %s is kept as null', async (field) => {
    const { client } = await world.workspace();
    const { data } = (await client.post('/companies', { orgnr: '333333333', [field]: null })).body;
    expect(data[field]).toBeNull();
  });

  test('all of them, status and assignment at once', async () => {
    const { client, member } = await world.workspace();
    const body = { orgnr: '333333333', ...own, status: 'lead', assigned_to: member.id };
    const answer = await client.post('/companies', body);
    expect(answer.body.data).toMatchObject(body);
  });

  test('fields that the caller set are recorded, so that the register does not change them', async () => {
    const { id, client } = await world.workspace();
    await client.post('/companies', { orgnr: '333333333', phone_number: '1', website_url: null });
    const [row] = await world.query('select kept_fields from companies where tenant_id = $1', [id]);
    expect(row.kept_fields.toSorted()).toEqual(['phone_number', 'website_url']);
  });
});

describe('an existing company', () => {
  test('is returned with 200, unchanged; what was submitted is ignored', async () => {
    const { client, member } = await world.workspace();
    const first = (await client.post('/companies', { orgnr: '333333333', status: 'customer' })).body.data;
    const again = await client.post('/companies', {
      orgnr: '333333333',
      status: 'lead',
      assigned_to: member.id,
      email_address: null,
      phone_number: '9',
    });
    expect(again.status).toBe(200);
    expect(again.body).toEqual({ data: first, created: false });
    expect((await client.get('/companies/333333333')).body.data).toEqual(first);
  });

  test('is returned although the ignored assignment names nobody', async () => {
    const { client, company } = await world.workspace();
    const first = await company();
    const assigned_to = '00000000-0000-0000-0000-000000000000';
    const again = await client.post('/companies', { orgnr: first.orgnr, assigned_to });
    expect([again.status, again.body]).toEqual([200, { data: first, created: false }]);
  });

  test('is returned when it is archived', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await workspace.archiveCompany(orgnr);
    const again = await workspace.client.post('/companies', { orgnr });
    expect([again.status, again.body.data.is_archived]).toEqual([200, true]);
  });

  test('costs no look-up, so that it answers while the register is down', async () => {
    const { asked, register } = watched(async () => {
      throw new RegisterUnavailable('down', 7);
    });
    const down = await world.start({ register });
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    const client = down.client(workspace.client.token);
    expect((await client.post('/companies', { orgnr })).status).toBe(200);
    expect(asked).not.toHaveBeenCalled();
  });

  test('is 409 when it is deleted, and stays deleted', async () => {
    const workspace = await world.workspace();
    const { orgnr } = await workspace.company();
    await workspace.deleteCompany(orgnr);
    const answer = await workspace.client.post('/companies', { orgnr });
    expect([answer.status, answer.body.code]).toEqual([409, 'company_deleted']);
    expect((await workspace.client.get(`/companies/${orgnr}`)).status).toBe(404);
  });
});

describe('a number that is not in the register', () => {
  test.each([
    ['unknown', '388444444', /is not in/],
    ['deleted', '304444444', /deleted.*2024-03-09/],
    ['removed', '330444444', /removed.*2025-05-24/],
    ['removed without a date', '346444444', /removed/],
  ])('is 422 when it is %s, and the text says so', async (_, orgnr, text) => {
    const { client } = await world.workspace();
    const { status, body } = await client.post('/companies', { orgnr });
    expect([status, body.code]).toEqual([422, 'not_in_register']);
    expect(body.error).toMatch(text);
    expect((await client.get(`/companies/${orgnr}`)).status).toBe(404);
  });

  test('is 422 without a look-up when the check digit is wrong', async () => {
    const { asked, register } = watched((orgnr) => sandboxRegister().find(orgnr));
    const running = await world.start({ register });
    const { client } = await world.workspace(running);
    for (const orgnr of ['333333334', '923609017', '000000001']) {
      const { status, body } = await client.post('/companies', { orgnr });
      expect([orgnr, status, body.code]).toEqual([orgnr, 422, 'not_in_register']);
      expect(body.error).toContain('check digit');
    }
    expect(asked).not.toHaveBeenCalled();
  });
});

describe('trouble with the register', () => {
  test('is 503 with the time to wait, and nothing is created', async () => {
    const { client } = await world.workspace();
    const { status, body, headers } = await client.post('/companies', { orgnr: '338555555' });
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'register_unavailable', '5']);
    expect((await client.get('/companies')).body.data).toEqual([]);
  });

  test('with the record of one number is reported as such', async () => {
    const { register } = watched(async () => {
      throw new RegisterUnavailable('no date', 5, { fault: 'unit' });
    });
    const { client } = await world.workspace(await world.start({ register }));
    const { status, body } = await client.post('/companies', { orgnr: freshOrgnr() });
    expect([status, body.code]).toEqual([503, 'register_unavailable']);
    expect(body.error).toMatch(/^The record of this number in the sandbox register .*cannot be read/);
  });

  test('is not reported where this service itself limits how often it asks', async () => {
    const { register } = watched(async () => {
      throw new RegisterUnavailable('too many look-ups wait in line', 1, { fault: 'limit' });
    });
    const { client } = await world.workspace(await world.start({ register }));
    const { status, body, headers } = await client.post('/companies', { orgnr: freshOrgnr() });
    expect([status, body.code, headers['retry-after']]).toEqual([503, 'register_unavailable', '1']);
    expect(body.error).toMatch(/^This service has reached its own limit of requests to the sandbox register/);
  });

  test('states the time to wait in whole seconds, at least one', async () => {
    const { register } = watched(async () => {
      throw new RegisterUnavailable('busy', 0.01);
    });
    const { client } = await world.workspace(await world.start({ register }));
    const { headers } = await client.post('/companies', { orgnr: freshOrgnr() });
    expect(headers['retry-after']).toBe('1');
  });

  test('that is unexpected is 500 and does not reveal its cause', async () => {
    const { register } = watched(async () => {
      throw new TypeError('secret inner workings');
    });
    const { client } = await world.workspace(await world.start({ register }));
    const answer = await client.post('/companies', { orgnr: freshOrgnr() });
    expect([answer.status, answer.body.code]).toEqual([500, 'internal_error']);
    expect(answer.text).not.toContain('secret');
  });

  test('does not hide that the assignment names nobody', async () => {
    const { client } = await world.workspace();
    const assigned_to = '00000000-0000-0000-0000-000000000000';
    const { status, body } = await client.post('/companies', { orgnr: '338555555', assigned_to });
    expect([status, body.code, body.details?.[0].field]).toEqual([400, 'invalid_reference', 'assigned_to']);
  });
});

test('a company cannot be assigned to a member who was removed', async () => {
  const workspace = await world.workspace();
  await workspace.removeMember(workspace.member);
  const body = { orgnr: freshOrgnr(), assigned_to: workspace.member.id };
  const answer = await workspace.client.post('/companies', body);
  expect([answer.status, answer.body.code]).toEqual([400, 'invalid_reference']);
});

test('a company is not assigned to a member who is removed while the register is asked', async () => {
  const { register } = watched(async (orgnr) => {
    await workspace.removeMember(workspace.member);
    return sandboxRegister().find(orgnr);
  });
  const workspace = await world.workspace(await world.start({ register }));
  const body = { orgnr: freshOrgnr(), assigned_to: workspace.member.id };
  const answer = await workspace.client.post('/companies', body);
  expect([answer.status, answer.body.code, answer.body.details[0].field]).toEqual([
    400,
    'invalid_reference',
    'assigned_to',
  ]);
  expect((await workspace.client.get('/companies')).body.data).toEqual([]);
});

test('the register is asked once for a new company, and no connection waits for its answer', async () => {
  const statuses: number[] = [];
  const { asked, register } = watched(async (orgnr) => {
    // With one connection in all, this would hang if the request that asks the register kept it.
    statuses.push((await client.get('/companies')).status);
    return sandboxRegister().find(orgnr);
  });
  const { client } = await world.workspace(await world.start({ register, databaseConnections: 1 }));
  expect((await client.post('/companies', { orgnr: freshOrgnr() })).status).toBe(201);
  expect(asked).toHaveBeenCalledTimes(1);
  expect(statuses).toEqual([200]);
});
