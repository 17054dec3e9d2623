import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

/** Two contacts with the same email address and company, and more that only one of them has. */
async function makePair(workspace: Workspace) {
  const { client } = workspace;
  const [shared, own] = [await workspace.company(), await workspace.company()];
  const kept = await workspace.contact({ name: 'Kari Nordmann', notes: 'Traff på messe' });
  const gone = await workspace.contact({ name: 'Kari N.', notes: 'Foretrekker e-post' });
  const add = async (path: string, body: object) => (await client.post(path, body)).body.data;
  await add(`/contacts/${kept.id}/points`, { type: 'email', value: 'Kari@Example.no' });
  await add(`/contacts/${kept.id}/companies`, { company_id: shared.id });
  const doubled = await add(`/contacts/${gone.id}/points`, { type: 'email', value: 'kari@example.no' });
  const moved = await add(`/contacts/${gone.id}/points`, { type: 'mobile', value: '900 11 222' });
  const again = await add(`/contacts/${gone.id}/companies`, { company_id: shared.id, role: 'Daglig leder' });
  const link = await add(`/contacts/${gone.id}/companies`, { company_id: own.id, role: null });
  return { kept, gone, doubled, moved, again, link, shared, own };
}

test('everything of the other contact moves, except duplicates, and the other contact is removed', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const browser = await workspace.signIn();
  const { kept, gone, doubled, moved, again, link, shared, own } = await makePair(workspace);
  const { cursor } = { cursor: (await client.get('/changes?cursor=now')).body.page.next_cursor };
  const before = (await client.get(`/contacts/${kept.id}`)).headers.etag;

  const merged = await browser.post(`/contacts/${kept.id}/merge`, { other_id: gone.id });
  const expected = { ...kept, notes: 'Traff på messe\n\nForetrekker e-post' };
  expect([merged.status, merged.body.data]).toEqual([200, expected]);
  expect(merged.headers.etag).not.toBe(before);
  const now = await client.get(`/contacts/${kept.id}`);
  expect([now.body.data, now.headers.etag]).toEqual([expected, merged.headers.etag]);
  const points = (await client.get(`/contacts/${kept.id}/points`)).body.data;
  expect(points.map(({ value }: { value: string }) => value)).toEqual(['Kari@Example.no', '900 11 222']);
  expect(points[1]).toEqual(moved);
  const links = (await client.get(`/contacts/${kept.id}/companies`)).body.data;
  expect(links).toEqual([
    { id: expect.any(Number), company_id: shared.id, role: 'Daglig leder' },
    { ...link, company_id: own.id },
  ]);

  const read = await client.get(`/contacts/${gone.id}`);
  expect([read.status, read.body.code]).toEqual([404, 'not_found']);
  expect(read.body.error).toContain(kept.id);
  expect(read.body.details).toEqual([{ field: 'merged_into', message: kept.id }]);
  const reused = await client.post('/contacts', { id: gone.id, name: 'Kari' });
  expect([reused.status, reused.body.code]).toEqual([409, 'id_already_used']);
  const found = async (q: string) =>
    (await client.get(`/contacts?q=${q}`)).body.data.map(({ id }: { id: string }) => id);
  expect(await found('90011222')).toEqual([kept.id]);
  expect(await found('kari')).toEqual([kept.id]);
  expect(await world.query('select * from contact_words where contact_id = $1', [gone.id])).toEqual([]);

  const { data } = (await client.get(`/changes?cursor=${cursor}`)).body;
  const told = data.map((entry: Record<string, unknown>) => [
    entry['resource'],
    entry['resource_id'],
    entry['contact_id'],
    entry['action'],
    entry['fields'],
    entry['values'],
  ]);
  const to = { contact_id: [gone.id, kept.id] };
  expect(told).toEqual([
    ['point', String(moved.id), kept.id, 'updated', ['contact_id'], to],
    ['point', String(doubled.id), gone.id, 'deleted', [], {}],
    ['link', String(link.id), kept.id, 'updated', ['contact_id'], to],
    ['link', String(again.id), gone.id, 'deleted', [], {}],
    ['link', String(links[0].id), kept.id, 'updated', ['role'], {}],
    ['contact', kept.id, kept.id, 'updated', ['notes'], {}],
    ['contact', gone.id, gone.id, 'deleted', ['merged_into'], { merged_into: [null, kept.id] }],
  ]);
  expect(new Set(data.map(({ actor }: { actor: { kind: string } }) => actor.kind))).toEqual(
    new Set(['user']),
  );
  const counts = await world.query('select point_count, link_count from contacts where id = $1', [kept.id]);
  expect(counts).toEqual([{ point_count: 2, link_count: 2 }]);
});

test('the preview says what merging then does', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { kept, gone, doubled, moved, again, link } = await makePair(workspace);
  const { status, body } = await browser.get(`/contacts/${kept.id}/merge/${gone.id}`);
  expect(status).toBe(200);
  expect(body.data.contact.name).toBe('Kari Nordmann');
  expect(body.data.other.points).toEqual([doubled, moved]);
  expect(body.data.notes).toBe('Traff på messe\n\nForetrekker e-post');
  expect(body.data.moved).toEqual({ points: [moved], links: [link] });
  expect(body.data.dropped).toEqual({ points: [doubled], links: [again] });
  expect(body.data.roles).toEqual([{ id: body.data.contact.links[0].id, role: 'Daglig leder' }]);
  const { etag } = body.data.contact;
  const seen = { other_id: gone.id, etag, other_etag: body.data.other.etag };
  expect((await browser.post(`/contacts/${kept.id}/merge`, seen)).status).toBe(200);
});

test('two roles at one company, and two accounts of one name, both stay', async () => {
  const workspace = await world.workspace();
  const { client } = workspace;
  const browser = await workspace.signIn();
  const [kept, gone] = [await workspace.contact(), await workspace.contact({ name: 'Kari' })];
  const { id: company_id } = await workspace.company();
  for (const [id, role, label] of [
    [kept.id, 'Daglig leder', 'Teams'],
    [gone.id, 'Styreleder', 'Signal'],
    [gone.id, 'daglig leder ', 'teams'],
  ]) {
    await client.post(`/contacts/${id}/companies`, { company_id, role });
    await client.post(`/contacts/${id}/points`, { type: 'other', value: '@kari', label });
  }
  await browser.post(`/contacts/${kept.id}/merge`, { other_id: gone.id });
  const links = (await client.get(`/contacts/${kept.id}/companies`)).body.data;
  expect(links.map(({ role }: { role: string }) => role)).toEqual(['Daglig leder', 'Styreleder']);
  const points = (await client.get(`/contacts/${kept.id}/points`)).body.data;
  expect(points.map(({ label }: { label: string }) => label)).toEqual(['Teams', 'Signal']);
});

test('a merge is refused for an unknown contact, for the contact itself, and for outdated states', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const stranger = await (await world.workspace()).contact();
  const [kept, gone] = [await workspace.contact(), await workspace.contact()];
  const path = `/contacts/${kept.id}/merge`;
  const refused = async (at: string, body: object) => {
    const { status, body: problem } = await browser.post(at, body);
    return [status, problem.code, problem.details?.[0].field];
  };
  for (const other_id of [stranger.id, randomUUID()])
    expect(await refused(path, { other_id })).toEqual([400, 'invalid_reference', 'other_id']);
  expect(await refused(path, { other_id: kept.id })).toEqual([400, 'invalid_request', 'other_id']);
  expect((await browser.get(`${path}/${kept.id}`)).status).toBe(400);
  expect((await browser.get(`${path}/${stranger.id}`)).status).toBe(404);
  expect(await refused(path, {})).toEqual([400, 'invalid_request', 'other_id']);
  for (const id of [stranger.id, randomUUID()])
    expect(await refused(`/contacts/${id}/merge`, { other_id: gone.id })).toEqual([
      404,
      'not_found',
      undefined,
    ]);
  for (const stale of [{ etag: '1-1' }, { other_etag: '1-1' }])
    expect(await refused(path, { other_id: gone.id, ...stale })).toEqual([
      412,
      'precondition_failed',
      undefined,
    ]);
  expect((await browser.get(`/contacts/${gone.id}`)).status).toBe(200);
});

/** Adds this many details, different for each contact, without a limit. */
const addPoints = (contact: string, count: number) =>
  world.query(
    `with counted as (update contacts set point_count = $2 where id = $1 returning tenant_id, id)
     insert into contact_points (tenant_id, contact_id, type, label, value)
     select tenant_id, id, 'mobile', '', left(id::text, 18) || n from counted, generate_series(1, $2::int) n`,
    [contact, count],
  );

test('a contact that has more details than the limit keeps them in a merge that adds none', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const [kept, gone] = [await workspace.contact(), await workspace.contact()];
  await addPoints(kept.id, 1_001);
  expect((await browser.post(`/contacts/${kept.id}/merge`, { other_id: gone.id })).status).toBe(200);
  expect((await browser.get(`/contacts/${kept.id}/points`)).body.data).toHaveLength(1_001);
});

test('a merge beyond the limits of a contact is refused and changes nothing', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const [kept, gone] = [
    await workspace.contact({ notes: 'x'.repeat(15_000) }),
    await workspace.contact({ notes: 'y'.repeat(5_000) }),
  ];
  const path = `/contacts/${kept.id}/merge`;
  const long = await browser.post(path, { other_id: gone.id });
  expect([long.status, long.body.code]).toEqual([409, 'limit_reached']);
  await browser.patch(`/contacts/${gone.id}`, { notes: '' });
  for (const { id } of [kept, gone]) await addPoints(id, 501);
  await world.query("update contact_points set value = value || 'x' where contact_id = $1", [gone.id]);
  const many = await browser.post(path, { other_id: gone.id });
  expect([many.status, many.body.code]).toEqual([409, 'limit_reached']);
  expect((await browser.get(`/contacts/${gone.id}/points`)).body.data).toHaveLength(501);
});

test('erasing the contact that a merge kept blanks the remembered answers that held the other', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const headers = { 'content-type': 'application/json', 'idempotency-key': randomUUID() };
  const create = () =>
    workspace.client.send({
      method: 'POST',
      path: '/contacts',
      headers,
      body: '{"name":"Uvanlig Navn","notes":""}',
    });
  const gone = (await create()).body.data;
  const kept = await workspace.contact();
  await browser.post(`/contacts/${kept.id}/merge`, { other_id: gone.id });
  expect((await create()).body.data).toEqual(gone);
  expect((await browser.delete(`/contacts/${kept.id}`)).status).toBe(204);
  const repeated = await create();
  expect([repeated.status, repeated.body.code]).toEqual([410, 'erased']);
});

/** Resolves once this many statements wait, whether for a row or for another statement that waits for the row. */
async function waiting(count: number): Promise<void> {
  await expect.poll(() => countWaiters(world)).toBe(count);
}

const LOCK_CONTACT = 'select from contacts where tenant_id = $1 and id = $2 for update';

test('two merges of the same two at once: one of them happens', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { kept, gone } = await makePair(workspace);
  const held = await holdRow(world.databaseUrl, LOCK_CONTACT, [
    workspace.id,
    kept.id < gone.id ? kept.id : gone.id,
  ]);
  const answers = [
    browser.post(`/contacts/${kept.id}/merge`, { other_id: gone.id }),
    browser.post(`/contacts/${gone.id}/merge`, { other_id: kept.id }),
  ];
  await waiting(2);
  await held.commit();
  const statuses = (await Promise.all(answers)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 200)).toHaveLength(1);
  expect(statuses.filter((status) => status === 400 || status === 404)).toHaveLength(1);
  expect((await browser.get('/contacts')).body.data).toHaveLength(1);
});

test('an erasure and a new detail that arrive during a merge see what it leaves', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const { kept, gone } = await makePair(workspace);
  const [first, last] = kept.id < gone.id ? [kept.id, gone.id] : [gone.id, kept.id];
  const held = await holdRow(world.databaseUrl, LOCK_CONTACT, [workspace.id, last]);
  const merged = browser.post(`/contacts/${kept.id}/merge`, { other_id: gone.id });
  await held.awaited();
  // The merge holds the first of the two and waits for the last.
  const late = workspace.client.post(`/contacts/${first}/points`, { type: 'mobile', value: '1' });
  await waiting(2);
  await held.commit();
  expect((await merged).status).toBe(200);
  expect((await late).status).toBe(first === kept.id ? 201 : 404);
  const points = (await browser.get(`/contacts/${kept.id}/points`)).body.data;
  expect(points).toHaveLength(first === kept.id ? 3 : 2);
  expect((await browser.delete(`/contacts/${gone.id}`)).status).toBe(404);
});

test.each(['points', 'companies'])('%s added while the contact is erased find no contact', async (kind) => {
  const workspace = await world.workspace();
  const { id } = await workspace.contact();
  const link = { company_id: (await workspace.company()).id };
  const body = kind === 'points' ? { type: 'mobile', value: '1' } : link;
  const held = await holdRow(world.databaseUrl, LOCK_CONTACT, [workspace.id, id]);
  const erased = (await workspace.signIn()).delete(`/contacts/${id}`);
  await held.awaited();
  const late = workspace.client.post(`/contacts/${id}/${kind}`, body);
  await waiting(2);
  await held.commit();
  expect((await erased).status).toBe(204);
  expect([(await late).status, (await late).body.code]).toEqual([404, 'not_found']);
});

test('of the members, only administrators merge and erase; a key may erase, but not merge', async () => {
  const workspace = await world.workspace();
  const [kept, gone] = [await workspace.contact(), await workspace.contact()];
  const admin = await workspace.addMember({}, 'admin');
  const [low, high] = [await workspace.signIn(workspace.member), await workspace.signIn(admin)];
  const body = { other_id: gone.id };
  const path = `/contacts/${kept.id}`;
  for (const answer of [
    await low.post(`${path}/merge`, body),
    await low.get(`${path}/merge/${gone.id}`),
    await low.delete(path),
  ])
    expect([answer.status, answer.body.code]).toEqual([403, 'forbidden']);
  expect((await workspace.client.post(`${path}/merge`, body)).status).toBe(404);
  expect((await high.post(`${path}/merge`, body)).status).toBe(200);
  expect((await high.delete(path)).status).toBe(204);
  const other = await workspace.contact();
  expect((await workspace.client.delete(`/contacts/${other.id}`)).status).toBe(204);
});

test('contacts are counted', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await workspace.contact();
  const { id } = await workspace.contact();
  await browser.delete(`/contacts/${id}`);
  expect((await browser.get('/contacts/count')).body).toEqual({ data: { count: 1 } });
});
