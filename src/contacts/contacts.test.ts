import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { EMAILS, NOT_EMAILS } from '../../test/corpora.ts';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

const nobody = '00000000-0000-0000-0000-000000000000';

describe('creating a contact', () => {
  test('shows it with an id of version 7 and empty notes where none are given', async () => {
    const { client } = await world.workspace();
    const { status, body } = await client.post('/contacts', { name: ' Kari ' });
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{13}-7/),
        name: ' Kari ',
        notes: '',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      },
    });
    expect((await client.get(`/contacts/${body.data.id}`)).body).toEqual(body);
  });

  test('a name may be used again, an id may not, and the first body is kept', async () => {
    const { client } = await world.workspace();
    const id = randomUUID();
    const first = await client.post('/contacts', { id, name: 'Kari', notes: 'første' });
    expect([first.status, first.body.data.id]).toEqual([201, id]);
    const again = await client.post('/contacts', { id, name: 'Ola', notes: 'andre' });
    expect([again.status, again.body.code]).toEqual([409, 'id_already_used']);
    expect((await client.get(`/contacts/${id}`)).body).toEqual(first.body);
    expect((await client.post('/contacts', { name: 'Kari' })).status).toBe(201);
  });

  test('makes neither details nor links', async () => {
    const { client, contact } = await world.workspace();
    const { id } = await contact();
    expect((await client.get(`/contacts/${id}/points`)).body).toEqual({ data: [] });
    expect((await client.get(`/contacts/${id}/companies`)).body).toEqual({ data: [] });
  });
});

describe('changing a contact', () => {
  test.each([
    ['name', { name: 'Kari Hansen' }],
    ['notes', { notes: 'nye' }],
    ['both', { name: 'Kari Hansen', notes: 'nye' }],
    ['notes, cleared by the empty string', { notes: '' }],
    ['nothing', {}],
  ])('changes %s and nothing else', async (_, change) => {
    const { client, contact } = await world.workspace();
    const before = await contact({ name: 'Kari', notes: 'gamle' });
    const { status, body } = await client.patch(`/contacts/${before.id}`, change);
    expect([status, body]).toEqual([200, { data: { ...before, ...change } }]);
    expect((await client.get(`/contacts/${before.id}`)).body).toEqual(body);
  });

  test('the empty object does not touch the time of the last change', async () => {
    const { client, contact } = await world.workspace();
    const { id } = await contact();
    const changed = () => world.query('select updated_at::text from contacts where id = $1', [id]);
    const before = await changed();
    expect((await client.patch(`/contacts/${id}`, {})).status).toBe(200);
    expect(await changed()).toEqual(before);
  });

  test('is 404 for a contact that is not there, with the empty object too', async () => {
    const { client } = await world.workspace();
    expect((await client.patch(`/contacts/${nobody}`, {})).status).toBe(404);
    expect((await client.patch(`/contacts/${nobody}`, { name: 'x' })).status).toBe(404);
  });
});

describe('contact details', () => {
  test('are listed in order of id, duplicates included', async () => {
    const { client, contact } = await world.workspace();
    const { id } = await contact();
    const sent = [
      { type: 'email', value: 'kari@example.no', label: '' },
      { type: 'mobile', value: '000 00 001', label: 'Privat' },
      { type: 'telephone', value: '00 00 00 01', label: '' },
      { type: 'other', value: '@kari', label: 'Mastodon' },
      { type: 'mobile', value: '000 00 001', label: 'Privat' },
    ];
    const made = [];
    for (const point of sent) made.push((await client.post(`/contacts/${id}/points`, point)).body.data);
    expect(made).toEqual(sent.map((point) => ({ id: expect.any(Number), ...point })));
    const { status, body } = await client.get(`/contacts/${id}/points`);
    expect([status, body]).toEqual([200, { data: made }]);
    expect(made.map((point) => point.id)).toEqual(made.map((point) => point.id).toSorted((a, b) => a - b));
  });

  test('have an empty label where none is given', async () => {
    const { client, contact } = await world.workspace();
    const { id } = await contact();
    const { status, body } = await client.post(`/contacts/${id}/points`, { type: 'mobile', value: '1' });
    expect([status, body.data.label]).toEqual([201, '']);
  });

  test('of type email need an address; other types take any text', async () => {
    const { client, contact } = await world.workspace();
    const path = `/contacts/${(await contact()).id}/points`;
    for (const value of EMAILS) {
      const { status, body } = await client.post(path, { type: 'email', value });
      expect([value, status, body.data?.value]).toEqual([value, 201, value]);
    }
    for (const value of NOT_EMAILS) {
      const { status, body } = await client.post(path, { type: 'email', value });
      expect([value, status, body.code, body.details]).toEqual([
        value,
        400,
        'invalid_request',
        [{ field: 'value', message: expect.any(String) }],
      ]);
    }
    expect((await client.post(path, { type: 'telephone', value: 'kari@' })).status).toBe(201);
  });

  test('of type other need a label that is not blank', async () => {
    const { client, contact } = await world.workspace();
    const path = `/contacts/${(await contact()).id}/points`;
    for (const label of [undefined, '', ' ', '\n\t']) {
      const { status, body } = await client.post(path, { type: 'other', value: 'x', label });
      expect([label, status, body.details]).toEqual([
        label,
        400,
        [{ field: 'label', message: expect.any(String) }],
      ]);
    }
    expect((await client.post(path, { type: 'other', value: 'x', label: '-' })).status).toBe(201);
  });

  test.each([
    ['a value of the wrong type', { type: 'other', value: 5 }, ['label', 'value']],
    ['no value', { type: 'other' }, ['label', 'value']],
    ['a field that is unknown', { type: 'email', value: 'x', colour: 'red' }, ['colour', 'value']],
    ['a label of the wrong type', { type: 'email', value: 'x', label: 5 }, ['label', 'value']],
    ['a blank value', { type: 'other', value: ' ' }, ['label', 'value']],
  ])('with %s are refused, and the answer also names what their type requires', async (_, point, fields) => {
    const { client, contact } = await world.workspace();
    const { status, body } = await client.post(`/contacts/${(await contact()).id}/points`, point);
    expect(status).toBe(400);
    expect(body.details.map(({ field }: { field: string }) => field).toSorted()).toEqual(fields);
  });

  test('are 404 for a contact that is not there, to add and to list', async () => {
    const { client } = await world.workspace();
    const path = `/contacts/${nobody}/points`;
    expect((await client.post(path, { type: 'mobile', value: '1' })).status).toBe(404);
    expect((await client.get(path)).status).toBe(404);
  });
});

describe('links to companies', () => {
  test('are listed in order of id without a page, duplicates included', async () => {
    const workspace = await world.workspace();
    const { client } = workspace;
    const path = `/contacts/${(await workspace.contact()).id}/companies`;
    const [one, two] = [await workspace.company(), await workspace.company()];
    const sent = [
      { company_id: two.id, role: 'Daglig leder' },
      { company_id: one.id, role: null },
      { company_id: one.id, role: '' },
      { company_id: two.id, role: 'Daglig leder' },
    ];
    const made = [];
    for (const link of sent) made.push((await client.post(path, link)).body.data);
    expect(made).toEqual(sent.map((link) => ({ id: expect.any(Number), ...link })));
    const { status, body } = await client.get(path);
    expect([status, body]).toEqual([200, { data: made }]);
    expect(made.map(({ id }) => id)).toEqual(made.map(({ id }) => id).toSorted((a, b) => a - b));
  });

  test('have no role where none is given', async () => {
    const workspace = await world.workspace();
    const path = `/contacts/${(await workspace.contact()).id}/companies`;
    const { status, body } = await workspace.client.post(path, {
      company_id: (await workspace.company()).id,
    });
    expect([status, body.data.role]).toEqual([201, null]);
  });

  test('name a company by its CRM id, not by its organisation number', async () => {
    const workspace = await world.workspace();
    const path = `/contacts/${(await workspace.contact()).id}/companies`;
    const { orgnr } = await workspace.company();
    const { status, body } = await workspace.client.post(path, { company_id: orgnr });
    expect([status, body.code, body.details[0].field]).toEqual([400, 'invalid_request', 'company_id']);
  });

  test('cannot be made to a company that is missing or deleted; to an archived one they can', async () => {
    const workspace = await world.workspace();
    const path = `/contacts/${(await workspace.contact()).id}/companies`;
    const [gone, kept] = [await workspace.company(), await workspace.company()];
    await workspace.deleteCompany(gone.orgnr);
    await workspace.archiveCompany(kept.orgnr);
    for (const company_id of [gone.id, nobody]) {
      const { status, body } = await workspace.client.post(path, { company_id });
      expect([status, body.code, body.details?.[0].field]).toEqual([400, 'invalid_reference', 'company_id']);
    }
    expect((await workspace.client.post(path, { company_id: kept.id })).status).toBe(201);
  });

  test('stay readable and keep their ids when the company is deleted', async () => {
    const workspace = await world.workspace();
    const path = `/contacts/${(await workspace.contact()).id}/companies`;
    const company = await workspace.company();
    const link = (await workspace.client.post(path, { company_id: company.id })).body.data;
    await workspace.deleteCompany(company.orgnr);
    expect((await workspace.client.get(path)).body.data).toEqual([link]);
  });

  test('are 404 for a contact that is not there, before the company is looked at', async () => {
    const workspace = await world.workspace();
    const path = `/contacts/${nobody}/companies`;
    for (const company_id of [(await workspace.company()).id, nobody]) {
      expect((await workspace.client.post(path, { company_id })).status).toBe(404);
    }
    expect((await workspace.client.get(path)).status).toBe(404);
  });
});

describe('a contact has a bounded number of', () => {
  const RACERS = 8;

  test.each([
    ['details', 'point_count', 'points', () => ({ type: 'mobile', value: '900 00 000' })],
    ['company links', 'link_count', 'companies', (company: string) => ({ company_id: company })],
  ] as const)(
    '%s: one more is 409, also when several race for the last place',
    async (_, counter, path, body) => {
      const { client, contact, company } = await world.workspace();
      const { id } = await contact();
      const { id: companyId } = await company();
      await world.query(`update contacts set ${counter} = 999 where id = $1`, [id]);
      const answers = await Promise.all(
        Array.from({ length: RACERS }, () => client.post(`/contacts/${id}/${path}`, body(companyId))),
      );
      const counts = Map.groupBy(answers, ({ status }) => status);
      expect([counts.get(201)?.length, counts.get(409)?.length]).toEqual([1, RACERS - 1]);
      expect(answers.find(({ status }) => status === 409)?.body).toEqual({
        error: expect.stringContaining('1000'),
        code: 'limit_reached',
      });
      expect((await client.get(`/contacts/${id}/${path}`)).body.data).toHaveLength(1);
    },
  );
});
