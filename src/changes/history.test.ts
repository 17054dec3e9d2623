import Papa from 'papaparse';
import { expect, test } from 'vitest';
import { createWorld } from '../../test/world.ts';

const world = await createWorld();

type Entry = {
  id: number;
  resource: string;
  action: string;
  title: string | null;
  actor: { kind: string; name: string };
};

test('the history names who and what, newest first', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn(workspace.member);
  const company = await workspace.company();
  const task = await workspace.task({ title: 'Ring kunden' });
  const contact = (await browser.post('/contacts', { name: 'Per Hansen' })).body.data;
  await browser.delete(`/tasks/${task.id}`);
  const { data } = (await browser.get('/history')).body as { data: Entry[] };
  expect(
    data.map(({ action, resource, title, actor }) => [action, resource, title, actor.kind, actor.name]),
  ).toEqual([
    ['deleted', 'task', 'Ring kunden', 'user', 'Kari Nordmann'],
    ['created', 'contact', 'Per Hansen', 'user', 'Kari Nordmann'],
    ['created', 'task', 'Ring kunden', 'key', 'test'],
    ['created', 'company', company.name, 'key', 'test'],
  ]);
  const asOwner = await workspace.signIn();
  expect((await asOwner.delete(`/contacts/${contact.id}`)).status).toBe(204);
  const erased = (await browser.get('/history?resource=contact')).body;
  expect(erased.data.map(({ title }: Entry) => title)).toEqual([null, null]);
  expect(JSON.stringify(erased)).not.toContain('Hansen');
});

test('filters combine, and every page goes on where the one before ended', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { owner } = workspace;
  for (let number = 0; number < 5; number++) {
    await workspace.contact({ name: `Key ${number}` });
    const { id } = (await browser.post('/contacts', { name: `Person ${number}` })).body.data;
    await browser.patch(`/contacts/${id}`, { notes: 'x' });
    await browser.post('/tasks', { user_id: owner.id, title: 'x', due_date: '2026-01-15T09:00:00Z' });
  }
  const read = async (filter: string) => {
    const seen: Entry[] = [];
    for (let cursor = ''; ;) {
      const { body } = await browser.get(`/history?limit=2&cursor=${cursor}&${filter}`);
      seen.push(...body.data);
      if (body.page.next_cursor === null) return seen;
      cursor = body.page.next_cursor;
    }
  };
  const all = await read('');
  expect(all).toHaveLength(20);
  expect(all.map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((one, other) => other - one));
  expect(await read(`actor=${owner.id}`)).toHaveLength(15);
  expect(await read('actor_kind=key')).toHaveLength(5);
  expect(await read('action=updated')).toHaveLength(5);
  expect(await read('resource=contact')).toHaveLength(15);
  expect(await read(`resource=contact&action=created&actor=${owner.id}`)).toHaveLength(5);
  const [{ at }] = await world.query('select now() as at');
  expect(await read(`until=${at.toISOString()}`)).toHaveLength(20);
  expect(await read(`from=${at.toISOString()}`)).toHaveLength(0);
  const earlier = new Date(at.getTime() - 10 * 86_400_000);
  await world.query("update changes set at = $1 where resource = 'task'", [earlier]);
  const week = new Date(at.getTime() - 7 * 86_400_000).toISOString();
  expect(await read(`until=${week}`)).toHaveLength(5);
  expect(await read(`from=${week}`)).toHaveLength(15);
});

test('people in values and authors are named, also those who have left', async () => {
  const workspace = await world.workspace();
  const { owner, member } = workspace;
  const company = await workspace.company();
  const leaving = await workspace.signIn(member);
  await leaving.patch(`/companies/${company.orgnr}`, { assigned_to: member.id });
  await workspace.removeMember(member);
  const browser = await workspace.signIn(owner);
  const { data, people } = (await browser.get('/history?action=updated')).body;
  expect(data.map(({ actor }: Entry) => actor.name)).toEqual(['Kari Nordmann']);
  expect(people).toEqual([expect.objectContaining({ id: member.id, first_name: 'Kari', is_member: false })]);
  const { text } = await browser.get('/history/export?action=updated');
  expect(text).toContain('ansvarlig: – → Kari Nordmann');
  expect(text).not.toContain(`→ ${member.id}`);
});

test('a rare kind of entry is found behind many others', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await workspace.task();
  await world.query(
    `insert into changes (tenant_id, resource, resource_id, action, fields, "values", actor_kind)
     select $1, 'point', n::text, 'updated', '{}', '{}', 'register' from generate_series(1, 12000) n`,
    [workspace.id],
  );
  let found: Entry[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null && found.length === 0; pages++) {
    const { body } = await browser.get(`/history?resource=task&cursor=${cursor}`);
    found = body.data;
    cursor = body.page.next_cursor;
  }
  expect([found.length, pages]).toEqual([1, 3]);
});

test('a cursor with an instant that the service does not write is refused', async () => {
  const workspace = await world.workspace();
  await workspace.task();
  const browser = await workspace.signIn();
  const { next_cursor } = (await browser.get('/history?limit=1')).body.page;
  const [kind, , draw] = JSON.parse(Buffer.from(next_cursor, 'base64url').toString());
  const made = JSON.stringify([kind, '2026-01-15T09:00:00+23:00', draw]);
  const cursor = Buffer.from(made).toString('base64url');
  expect((await browser.get(`/history?limit=1&cursor=${cursor}`)).status).toBe(400);
});

test('a cursor of other filters or of another workspace is refused', async () => {
  const [one, other] = [await world.workspace(), await world.workspace()];
  const browser = await one.signIn();
  for (let count = 0; count < 3; count++) await one.contact();
  const { next_cursor } = (await browser.get('/history?limit=1')).body.page;
  for (const [client, filter] of [
    [browser, 'resource=task'],
    [await other.signIn(), ''],
  ] as const) {
    const { status, body } = await client.get(`/history?limit=1&cursor=${next_cursor}&${filter}`);
    expect([status, body.details[0].field]).toEqual([400, 'cursor']);
  }
});

test('nobody sees another workspace’s history, and no key any', async () => {
  const [one, other] = [await world.workspace(), await world.workspace()];
  await one.contact();
  const browser = await other.signIn();
  expect((await browser.get('/history')).body.data).toEqual([]);
  expect((await browser.get('/history/export')).text).not.toContain('contact');
  const headers = { authorization: `Bearer ${one.client.token}` };
  expect((await world.browser().send({ path: '/history', headers })).status).toBe(401);
  expect((await one.client.get('/history')).status).toBe(404);
});

test('the file holds what is filtered, in order, and nothing in it is a formula', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await workspace.task({ title: '=HYPERLINK("http://example.no";"x")' });
  await workspace.task({ title: 'Med ; og "hermetegn"\nog linje' });
  await workspace.contact();
  const file = await browser.get('/history/export?resource=task');
  expect(file.status).toBe(200);
  expect(file.headers['content-type']).toBe('text/csv; charset=utf-8');
  expect(file.headers['content-disposition']).toContain('attachment; filename="kundebok-history.csv"');
  expect(file.text.startsWith('\uFEFFNår;Hvem;')).toBe(true);
  expect(file.text).toContain(`"'=HYPERLINK(""http://example.no"";""x"")"`);
  expect(file.text).toContain('"Med ; og ""hermetegn""\nog linje"');
  expect(file.text.split('\r\n').filter((line) => line !== '')).toHaveLength(3);
  expect(file.text).not.toContain('contact');
});

test('the file is in the language asked for, with names, and times of the workspace', async () => {
  const workspace = await world.workspace();
  const { client, owner } = workspace;
  const company = await workspace.company();
  const browser = await workspace.signIn();
  await browser.patch(`/companies/${company.orgnr}`, { status: 'customer', assigned_to: owner.id });
  const offer = await workspace.offer({ company_id: company.id, one_time_revenue: 1_500_000 });
  await client.patch(`/offers/${offer.id}`, { status: 'sent' });
  await world.query("update changes set at = '2026-07-01T22:30:05Z' where tenant_id = $1", [workspace.id]);
  const rowsOf = async (query: string) => {
    const { text } = await browser.get(`/history/export?${query}`);
    return Papa.parse<Record<string, string>>(text.slice(1), {
      header: true,
      delimiter: ';',
      skipEmptyLines: true,
    }).data;
  };
  expect(await rowsOf('resource=company&action=updated')).toMatchObject([
    {
      Når: '2026-07-02 00:30:05',
      Hvem: 'Ola Nordmann',
      'Hvem (type)': 'Person',
      'Hvem-ID': owner.id,
      Handling: 'endret',
      Type: 'Selskap',
      Hva: company.name,
      Organisasjonsnummer: company.orgnr,
      Felt: 'status, ansvarlig',
      Verdier: 'status: Prospekt → Kunde, ansvarlig: – → Ola Nordmann',
    },
  ]);
  const [changed, created] = await rowsOf('resource=offer&language=en');
  expect(changed).toMatchObject({ Action: 'changed', Kind: 'Offer', Values: 'status: New → Sent' });
  expect(created).toMatchObject({ When: '2026-07-02 00:30:05', 'Who (kind)': 'API key' });
  expect(created!['Values']!.split(', ').toSorted()).toEqual([
    `company: ${company.name}`,
    'one-time amount: 1500000',
    'owner: Ola Nordmann',
    'recurring amount: 0',
    'status: New',
    'weight: 50',
  ]);
  // Each field has a name.
  for (const row of await rowsOf('')) expect([row['Felt'], row['Verdier']].join()).not.toContain('_');
});

test('a long file is complete', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await world.query(
    `insert into changes (tenant_id, resource, resource_id, action, fields, "values", actor_kind)
     select $1, 'point', n::text, 'updated', '{}', '{}', 'register' from generate_series(1, 3456) n`,
    [workspace.id],
  );
  const lines = (await browser.get('/history/export')).text.trim().split('\r\n').slice(1);
  expect(new Set(lines.map((line) => line.split(';')[7])).size).toBe(3456);
});

test('keys and removed members that have entries are listed, with what became of them', async () => {
  const workspace = await world.workspace();
  const { member } = workspace;
  const leaving = await workspace.signIn(member);
  await leaving.post('/contacts', { name: 'Per Hansen' });
  const idle = await workspace.addMember();
  const [revoked, expired, unused] = await Promise.all([1, 2, 3].map(() => workspace.key()));
  for (const { client } of [revoked!, expired!, workspace]) await client.post('/contacts', { name: 'Per' });
  await world.query('update api_keys set revoked_at = now() where id = any($1)', [[revoked!.id, unused!.id]]);
  await world.query("update api_keys set expires_at = now() - interval '1 hour' where id = $1", [
    expired!.id,
  ]);
  await workspace.removeMember(member);
  await workspace.removeMember(idle);
  const other = await world.workspace();
  await other.contact();
  const browser = await workspace.signIn();
  const { data } = (await browser.get('/history/actors')).body;
  const said = data.map(({ id, name, state, ended_at: ended }: Record<string, unknown>) => [
    id,
    name,
    state,
    ended !== null,
  ]);
  expect(said).toHaveLength(4);
  expect(said).toEqual(
    expect.arrayContaining([
      [member.id, 'Kari Nordmann', 'removed', true],
      [revoked!.id, 'test', 'revoked', true],
      [expired!.id, 'test', 'expired', true],
      [expect.any(String), 'test', 'current', false],
    ]),
  );
});
