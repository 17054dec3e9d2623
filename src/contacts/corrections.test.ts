import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { importFile } from '../../test/import-file.ts';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { contactFields } from '../../test/operation-fields.ts';
import { untilProcessed } from '../../test/until-processed.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();

async function withDetails(workspace: Workspace) {
  const { id } = await workspace.contact({ name: 'Kari Nordmann', notes: 'Ringer helst' });
  const path = `/contacts/${id}`;
  const point = await workspace.client.post(`${path}/points`, { type: 'email', value: 'kari@example.no' });
  const company = await workspace.company();
  const link = await workspace.client.post(`${path}/companies`, { company_id: company.id, role: 'Leder' });
  return {
    id,
    path,
    company,
    point: `${path}/points/${point.body.data.id}`,
    link: `${path}/companies/${link.body.data.id}`,
  };
}

const remove = (workspace: Workspace, path: string, headers = {}) =>
  workspace.client.send({ method: 'DELETE', path, headers });

describe('changing a contact detail', () => {
  test('keeps what is omitted', async () => {
    const workspace = await world.workspace();
    const { point } = await withDetails(workspace);
    const { status, body } = await workspace.client.patch(point, { value: 'ny@example.no' });
    expect([status, body.data]).toMatchObject([200, { type: 'email', label: '', value: 'ny@example.no' }]);
  });

  test.each([
    [{ value: 'no address' }, 'value'],
    [{ type: 'other' }, 'label'],
    [{ type: 'telephone', value: ' ' }, 'value'],
  ])('%j is refused where the resulting detail would break a rule', async (change, field) => {
    const workspace = await world.workspace();
    const { path, point } = await withDetails(workspace);
    const before = (await workspace.client.get(`${path}/points`)).body;
    const { status, body } = await workspace.client.patch(point, change);
    expect([status, body.details.map((detail: { field: string }) => detail.field)]).toEqual([400, [field]]);
    expect((await workspace.client.get(`${path}/points`)).body).toEqual(before);
  });

  test.each([
    [{ type: 'email', value: 'no address', extra: 1 }, ['extra', 'value']],
    [{ type: 'other', value: ' ', label: '' }, ['label', 'value']],
  ])('%j is 400 with all that is wrong, also for a contact that is not there', async (change, fields) => {
    const { status, body } = await (
      await world.workspace()
    ).client.patch(`/contacts/${randomUUID()}/points/1`, change);
    const named = body.details?.map((detail: { field: string }) => detail.field);
    expect([status, named?.toSorted()]).toEqual([400, fields]);
  });

  test('checks its rules on the state that another request has left meanwhile', async () => {
    const workspace = await world.workspace();
    const { path, point } = await withDetails(workspace);
    await workspace.client.patch(point, { label: 'Jobb' });
    const id = Number(point.split('/').at(-1));
    const held = await holdRow(
      world.databaseUrl,
      `with owner as (
         update contacts set version = version + 1
         where id = (select contact_id from contact_points where id = $1) returning id)
       update contact_points set label = '' where id = $1`,
      [id],
    );
    const answer = workspace.client.patch(point, { type: 'other' });
    await held.awaited();
    await held.commit();
    const { status, body } = await answer;
    expect([status, body.details?.[0].field]).toEqual([400, 'label']);
    expect((await workspace.client.get(`${path}/points`)).body.data[0]).toMatchObject({ type: 'email' });
  });
});

test('many changes of one detail at once are all carried out', async () => {
  const workspace = await world.workspace();
  const { point } = await withDetails(workspace);
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, n) =>
      untilProcessed(() => workspace.client.patch(point, { value: `kari${n}@example.no` })),
    ),
  );
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
});

test('a detail that is changed and removed at once is not found by its short-lived value', async () => {
  const workspace = await world.workspace();
  for (let round = 0; round < 30; round++) {
    const { point } = await withDetails(workspace);
    const value = `moment${round}@example.no`;
    await Promise.all([workspace.client.patch(point, { value }), remove(workspace, point)]);
    expect((await workspace.client.get(`/contacts?email=${value}`)).body.data).toEqual([]);
  }
  const orphans = await world.query(
    `select 1 from contact_words w where tenant_id = $1 and point_id > 0
     and not exists (select from contact_points p where p.tenant_id = w.tenant_id and p.id = w.point_id)`,
    [workspace.id],
  );
  expect(orphans).toEqual([]);
});

test('a detail and a link of another contact are not found', async () => {
  const workspace = await world.workspace();
  const [mine, other] = [await withDetails(workspace), await withDetails(workspace)];
  for (const path of [mine.point.replace(mine.id, other.id), mine.link.replace(mine.id, other.id)]) {
    expect((await workspace.client.patch(path, {})).status).toBe(404);
    expect((await remove(workspace, path)).status).toBe(404);
  }
  expect((await workspace.client.get(`${mine.path}/points`)).body.data).toHaveLength(1);
});

test('every change or removal of a detail or link changes the ETag of the contact', async () => {
  const workspace = await world.workspace();
  const { path, point, link } = await withDetails(workspace);
  const tag = async () => (await workspace.client.get(path)).headers.etag;
  const tags = [await tag()];
  for (const act of [
    () => workspace.client.patch(point, { value: 'ny@example.no' }),
    () => workspace.client.patch(link, { role: null }),
    () => remove(workspace, point),
    () => remove(workspace, link),
  ]) {
    await act();
    tags.push(await tag());
  }
  expect(new Set(tags).size).toBe(tags.length);
});

test('a removed detail makes room for another', async () => {
  const workspace = await world.workspace();
  const { id, path, point } = await withDetails(workspace);
  await world.query('update contacts set point_count = 1000 where id = $1', [id]);
  const another = { type: 'mobile', value: '00 00 00 08' };
  expect((await workspace.client.post(`${path}/points`, another)).status).toBe(409);
  await remove(workspace, point);
  expect((await workspace.client.post(`${path}/points`, another)).status).toBe(201);
});

describe('erasing a contact', () => {
  test('leaves nothing of the person in any table', async () => {
    const workspace = await world.workspace();
    const key = { 'content-type': 'application/json', 'idempotency-key': 'erasing' };
    const texts = Object.keys(contactFields).filter((field) => contactFields[field]!.is === 'text');
    const body = JSON.stringify(Object.fromEntries(texts.map((field) => [field, 'Uvanlig'])));
    const { body: created } = await workspace.client.send({
      method: 'POST',
      path: '/contacts',
      headers: key,
      body,
    });
    const path = `/contacts/${created.data.id}`;
    await workspace.client.post(`${path}/points`, { type: 'email', value: 'uvanlig@example.no' });
    const browser = await workspace.signIn();
    const other = await workspace.contact({ name: 'Uvanlig Dobbel' });
    const imported = await importFile(browser, 'contact', [
      ['ID', 'Navn'],
      [other.id, 'Kari Dobbel'],
    ]);
    expect((await browser.post(`${path}/merge`, { other_id: other.id })).status).toBe(200);
    expect((await remove(workspace, path)).status).toBe(204);
    const tables = await world.query(
      "select table_name from information_schema.columns where table_schema = 'public' and column_name = 'tenant_id'",
    );
    for (const { table_name } of tables) {
      const left = await world.query(
        `select count(*)::int as n from ${table_name} t where tenant_id = $1 and t::text ilike '%uvanlig%'`,
        [workspace.id],
      );
      expect([table_name, left[0].n]).toEqual([table_name, 0]);
    }
    const undone = await browser.post(`/imports/${imported.id}/undo`, {});
    expect(undone.body.data).toMatchObject({ undone_count: 0, kept_count: 1 });
    expect((await browser.get(`/imports/${imported.id}/rows?show=kept`)).body.data).toMatchObject([
      { resource_id: other.id, label: null, undo: 'kept' },
    ]);
  });

  test('makes the contact and everything below it 404, and its id cannot be used again', async () => {
    const workspace = await world.workspace();
    const { id, path, point, link, company } = await withDetails(workspace);
    expect((await remove(workspace, path)).status).toBe(204);
    for (const read of [path, `${path}/points`, `${path}/companies`]) {
      expect((await workspace.client.get(read)).status).toBe(404);
    }
    for (const gone of [path, point, link]) expect((await remove(workspace, gone)).status).toBe(404);
    expect((await workspace.client.patch(path, { name: 'Kari' })).status).toBe(404);
    const more = { type: 'mobile', value: '00 00 00 08' };
    expect((await workspace.client.post(`${path}/points`, more)).status).toBe(404);
    expect((await workspace.client.post(`${path}/companies`, { company_id: company.id })).status).toBe(404);
    const again = await workspace.client.post('/contacts', { id, name: 'Kari Nordmann' });
    expect([again.status, again.body.code]).toEqual([409, 'id_already_used']);
    expect(again.body.error).toContain('erased');
  });

  test('also removes what is added while it waits', async () => {
    const workspace = await world.workspace();
    const { id, path } = await withDetails(workspace);
    const held = await holdRow(
      world.databaseUrl,
      `with counted as (
         update contacts set point_count = point_count + 1 where id = $1 returning tenant_id, id)
       insert into contact_points (tenant_id, contact_id, type, label, value)
       select tenant_id, id, 'mobile', '', '00 00 00 09' from counted`,
      [id],
    );
    const answer = remove(workspace, path);
    await held.awaited();
    await held.commit();
    expect((await answer).status).toBe(204);
    expect(await world.query('select * from contact_points where contact_id = $1', [id])).toEqual([]);
  });

  test('does nothing when If-Match does not match', async () => {
    const workspace = await world.workspace();
    const { path } = await withDetails(workspace);
    const { headers } = await workspace.client.get(path);
    await workspace.client.patch(path, { notes: 'Ny' });
    const stale = await remove(workspace, path, { 'if-match': headers.etag });
    expect([stale.status, stale.body.code]).toEqual([412, 'precondition_failed']);
    const { headers: now } = await workspace.client.get(path);
    expect((await remove(workspace, path, { 'if-match': now.etag })).status).toBe(204);
  });
});

test('after two renames at once, the search words are those of the last name', async () => {
  const workspace = await world.workspace();
  const { id, path } = await withDetails(workspace);
  for (let round = 0; round < 3; round++) {
    const held = await holdRow(
      world.databaseUrl,
      'select id from contacts where tenant_id = $1 and id = $2 for update',
      [workspace.id, id],
    );
    const first = workspace.client.patch(path, { name: `Ada Felles${round} Lund` });
    await held.awaited(1);
    const second = workspace.client.patch(path, { name: `Eva Felles${round} Moe` });
    // The second waits for the first.
    await expect.poll(() => countWaiters(world)).toBe(2);
    await held.commit();
    expect((await Promise.all([first, second])).map(({ status }) => status)).toEqual([200, 200]);
    const [row] = await world.query(
      `select string_to_array(btrim(search), ' ') as sought, array(
         select word from contact_words w
         where w.tenant_id = c.tenant_id and w.contact_id = c.id and w.point_id = 0) as words
       from contacts c where tenant_id = $1 and id = $2`,
      [workspace.id, id],
    );
    expect(row!['words'].toSorted()).toEqual(row!['sought'].toSorted());
  }
});

test('what belongs to a contact is changed only while the contact is as If-Match says', async () => {
  const workspace = await world.workspace();
  const { path, point, link, company } = await withDetails(workspace);
  const { client } = workspace;
  const changes = [
    ['POST', `${path}/points`, { type: 'mobile', value: '900 00 000' }],
    ['POST', `${path}/companies`, { company_id: company.id }],
    ['PATCH', point, { value: 'ny@example.no' }],
    ['PATCH', link, { role: 'Styreleder' }],
    ['DELETE', point, undefined],
    ['DELETE', link, undefined],
  ] as const;
  const read = async () => {
    const { data } = (await client.get('/contacts?include=points,links')).body;
    return { tag: (await client.get(path)).headers.etag!, data };
  };
  for (const [method, at, body] of changes) {
    const send = (tag: string) =>
      client.send({
        method,
        path: at,
        headers: { 'if-match': tag, ...(body && { 'content-type': 'application/json' }) },
        ...(body && { body: JSON.stringify(body) }),
      });
    const before = await read();
    expect((await send('"x"')).body.code).toBe('precondition_failed');
    expect((await send('x')).body.details[0].field).toBe('If-Match');
    expect(await read()).toEqual(before);
    expect([method, at, (await send(before.tag)).status]).toEqual([
      method,
      at,
      { POST: 201, PATCH: 200, DELETE: 204 }[method],
    ]);
    expect((await read()).tag).not.toBe(before.tag);
  }
});
