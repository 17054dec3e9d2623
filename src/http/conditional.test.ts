import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '../../test/operations.ts';
import { holdRow } from '../../test/locks.ts';
import { unjudged } from '../../test/unjudged.ts';
import { createWorld, type Workspace } from '../../test/world.ts';

const world = await createWorld();
const other = await world.start();

const STRONG = /^"[\x21\x23-\x7e]+"$/;

/** Each resource that has an ETag, with two changes of it. */
const RESOURCES = Object.entries({
  'companies/{orgNr}': [{ status: 'lead' }, { status: 'customer' }],
  'contacts/{id}': [{ notes: 'x' }, { notes: 'y' }],
  'tasks/{id}': [{ title: 'x' }, { title: 'y' }],
  'offers/{id}': [{ title: 'x' }, { title: 'y' }],
} as Record<string, [object, object]>).map(([path, [change, other]]) => ({
  path: `/${path}`,
  patch: OPERATIONS.find(({ route }) => route === `PATCH /${path}`)!,
  table: path.split('/')[0]!,
  change,
  other,
}));

test('every resource with an ETag of its own is tested here', () => {
  const routes = new Set(OPERATIONS.map(({ route }) => route));
  const paths = OPERATIONS.flatMap(({ route }) => (route.startsWith('PATCH ') ? [route.slice(6)] : []));
  expect(RESOURCES.map(({ path }) => path)).toEqual(paths.filter((path) => routes.has(`GET ${path}`)));
});

async function open(operation: (typeof RESOURCES)[number]['patch']) {
  const workspace = await world.workspace();
  const path = await operation.path(workspace);
  const [one, two] = [unjudged(world, workspace.client.token!), unjudged(other, workspace.client.token!)];
  return { workspace, path, client: one, elsewhere: two, tag: (await one.get(path)).headers.etag! };
}

describe.each(RESOURCES)('the ETag of $path', ({ patch, change }) => {
  test('is strong, on every answer that holds the resource, and another after each change', async () => {
    const { path, client, tag } = await open(patch);
    expect(tag).toMatch(STRONG);
    expect((await client.send({ method: 'HEAD', path })).headers.etag).toBe(tag);
    const changed = await client.patch(path, change);
    expect([changed.status, changed.headers.etag]).toEqual([200, expect.stringMatching(STRONG)]);
    expect(changed.headers.etag).not.toBe(tag);
    expect((await client.get(path)).headers.etag).toBe(changed.headers.etag);
  });

  test('answers 304 without a body while the resource matches If-None-Match', async () => {
    const { path, client, tag } = await open(patch);
    for (const header of [tag, `W/${tag}`, '*', ` "x" ,${tag} `, `, ,${tag}`, `"x",,${tag},`]) {
      for (const method of ['GET', 'HEAD']) {
        const { status, text, headers } = await client.send({
          method,
          path,
          headers: { 'if-none-match': header },
        });
        expect([header, method, status, text, headers.etag]).toEqual([header, method, 304, '', tag]);
        expect(headers['cache-control']).toBe('no-store');
      }
    }
    await client.patch(path, change);
    const answer = await client.send({ path, headers: { 'if-none-match': tag } });
    expect([answer.status, answer.headers.etag === tag]).toEqual([200, false]);
  });
});

const send = (client: ReturnType<typeof unjudged>, path: string, header: string, body: object) =>
  client.send({
    method: 'PATCH',
    path,
    headers: { 'content-type': 'application/json', 'if-match': header },
    body: JSON.stringify(body),
  });

describe.each(RESOURCES)('PATCH of $path with If-Match', ({ patch, change, other: otherChange, table }) => {
  test('changes a resource that it matches, in every form of the header', async () => {
    const { path, client } = await open(patch);
    for (const [index, form] of ['T', '*', '"x", T', 'T,"x"', ', T,,', 'W/"x" ,T'].entries()) {
      const { headers } = await client.get(path);
      const body = index % 2 === 0 ? change : otherChange;
      const answer = await send(client, path, form.replace('T', headers.etag!), body);
      expect([form, answer.status]).toEqual([form, 200]);
      expect(answer.body.data).toMatchObject(body);
    }
  });

  test('is 412 for any other tag and changes nothing, also with an empty body or with a reference', async () => {
    const { workspace, path, client, tag } = await open(patch);
    await client.patch(path, otherChange);
    const before = await client.get(path);
    const count = () =>
      world.query('select count(*)::int as n from changes where tenant_id = $1', [workspace.id]);
    const named = { user: workspace.member.id, company: (await workspace.company()).id };
    const entries = await count();
    const bodies: object[] = [change, otherChange, {}];
    for (const [name, field] of Object.entries(patch.body!))
      if (field.is === 'uuid' && field.names) bodies.push({ ...change, [name]: named[field.names] });
    if (table === 'offers') bodies.push({ status: 'sent' });
    for (const header of [tag, '"x"', `W/${before.headers.etag}`, `"x","y"`]) {
      for (const body of bodies) {
        const answer = await send(client, path, header, body);
        expect([header, body, answer.status, answer.body.code]).toEqual([
          header,
          body,
          412,
          'precondition_failed',
        ]);
      }
    }
    expect((await client.get(path)).text).toBe(before.text);
    expect(await count()).toEqual(entries);
  });

  test.each(['', 'x', '"x', 'x"', '"x" "y"', '*, "x"', 'w/"x"', ',', '"a b"'])(
    'is 400 for %j',
    async (header) => {
      const { path, client } = await open(patch);
      const answer = await send(client, path, header, change);
      expect([answer.status, answer.body.code, answer.body.details?.[0].field]).toEqual([
        400,
        'invalid_request',
        'If-Match',
      ]);
      const wrong = await send(client, path, header, { nonsense: 1 });
      const fields = wrong.body.details.map(({ field }: { field: string }) => field);
      expect([wrong.status, fields]).toEqual([400, ['nonsense', 'If-Match']]);
      const missing = await client.send({
        path: path
          .replace(/[^/]+$/, '00000000-0000-0000-0000-000000000000')
          .replace(/companies\/.*/, 'companies/111111111'),
        headers: { 'if-none-match': header },
      });
      expect([missing.status, missing.body.details?.[0].field]).toEqual([400, 'If-None-Match']);
    },
  );

  test('lets one of two racing requests with the same tag through', async () => {
    const { path, client, elsewhere } = await open(patch);
    for (let round = 0; round < 10; round++) {
      const { etag } = (await client.get(path)).headers;
      const body = { [Object.keys(change)[0]!]: Object.values(round % 2 === 0 ? change : otherChange)[0] };
      const racing = [client, elsewhere].map((by) => send(by, path, etag!, body));
      expect((await Promise.all(racing)).map(({ status }) => String(status)).toSorted()).toEqual([
        '200',
        '412',
      ]);
    }
  });

  test('is compared with the row as it is once its lock is held', async () => {
    const { path, client, tag, workspace } = await open(patch);
    const held = await holdRow(
      world.databaseUrl,
      `update ${table} set version = version + 1 where tenant_id = $1 and ${table === 'companies' ? 'orgnr' : 'id'}::text = $2`,
      [workspace.id, path.split('/')[2]],
    );
    const waiting = send(client, path, tag, change);
    await held.awaited();
    await held.commit();
    expect((await waiting).status).toBe(412);
  });

  test('is 404 for what is not there', async () => {
    const { client } = await open(patch);
    const id = table === 'companies' ? '923609016' : randomUUID();
    expect((await send(client, `/${table}/${id}`, '"x"', change)).status).toBe(404);
  });
});

test('POST /contacts ignores If-Match', async () => {
  const { client } = await world.workspace();
  const headers = { 'content-type': 'application/json', 'if-match': 'no tag' };
  const answer = await client.send({ method: 'POST', path: '/contacts', headers, body: '{"name":"Kari"}' });
  expect([answer.status, answer.headers.etag]).toEqual([201, expect.stringMatching(STRONG)]);
});

test('points and links change their contact, notes do not change the company', async () => {
  const { client, company, contact } = await world.workspace();
  const [{ orgnr, id: company_id }, { id }] = [await company(), await contact()];
  const stateOf = async (path: string) => (await client.get(path)).headers.etag;
  const updatedAt = async (table: string, key: string) =>
    (await world.query(`select updated_at from ${table} where id = $1`, [key]))[0].updated_at.getTime();
  const tags = [await stateOf(`/contacts/${id}`)];
  const began = await updatedAt('contacts', id);
  await client.post(`/contacts/${id}/points`, { type: 'mobile', value: '1' });
  tags.push(await stateOf(`/contacts/${id}`));
  await client.post(`/contacts/${id}/companies`, { company_id });
  tags.push(await stateOf(`/contacts/${id}`));
  expect(new Set(tags).size).toBe(3);
  expect(await updatedAt('contacts', id)).toBeGreaterThan(began);

  const [tag, at] = [await stateOf(`/companies/${orgnr}`), await updatedAt('companies', company_id)];
  await client.post(`/companies/${orgnr}/notes`, { text: 'Hei' });
  expect([await stateOf(`/companies/${orgnr}`), await updatedAt('companies', company_id)]).toEqual([tag, at]);
});

/** Sets an offer's status while another transaction has changed it and not committed yet. */
async function race(workspace: Workspace, header: string | undefined) {
  const { id } = await workspace.offer();
  const client = unjudged(world, workspace.client.token!);
  const { etag } = (await client.get(`/offers/${id}`)).headers;
  const held = await holdRow(
    world.databaseUrl,
    "update offers set status = 'rejected', version = version + 1 where tenant_id = $1 and id = $2",
    [workspace.id, id],
  );
  const answer = client.send({
    method: 'PATCH',
    path: `/offers/${id}`,
    headers: {
      'content-type': 'application/json',
      ...(header && { 'if-match': header.replace('T', etag!) }),
    },
    body: '{"status":"sent","title":"Ny"}',
  });
  await held.awaited();
  await held.commit();
  const { status, body } = await answer;
  expect((await client.get(`/offers/${id}`)).body.data).toMatchObject({
    status: 'rejected',
    title: 'Avtale',
  });
  return [status, body.code];
}

describe('the status of an offer that another request changed meanwhile', () => {
  test('is 409 without If-Match, and with *, which matches any state', async () => {
    const workspace = await world.workspace();
    expect(await race(workspace, undefined)).toEqual([409, 'status_conflict']);
    expect(await race(workspace, '*')).toEqual([409, 'status_conflict']);
  });

  test('is 412 with the ETag from before that change', async () => {
    expect(await race(await world.workspace(), 'T')).toEqual([412, 'precondition_failed']);
  });
});
