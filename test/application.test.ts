import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { application, entrance } from '../src/api.ts';
import { Waits } from '../src/changes/waits.ts';
import { maskOfRole, ROLES } from '../src/members/roles.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { createWorld, type Workspace } from './world.ts';

const world = await createWorld();
// Only the declarations of the endpoints are read: no part is used.
const parts = {
  register: sandboxRegister(),
  waits: new Waits(),
  db: undefined as never,
  provider: undefined,
  demoRuns: undefined as never,
};
const endpoints = application(parts);

/** Creates a row for every path parameter. @returns a function that puts their ids into a path */
async function filled(workspace: Workspace): Promise<(path: string) => string> {
  const company = await workspace.company();
  const contact = await workspace.contact();
  const point = (
    await workspace.client.post(`/contacts/${contact.id}/points`, { type: 'email', value: 'x@example.no' })
  ).body.data;
  const link = (await workspace.client.post(`/contacts/${contact.id}/companies`, { company_id: company.id }))
    .body.data;
  const note = (await workspace.client.post(`/companies/${company.orgnr}/notes`, { text: 'x' })).body.data;
  const task = await workspace.task();
  const offer = await workspace.offer({ company_id: company.id });
  const key = await workspace.key();
  const columns = ['name'];
  const file = { resource: 'contact', file_name: 'x.csv', row_count: 1, columns };
  const imported = (await (await workspace.signIn()).post('/imports', file)).body.data;
  const own: Record<string, string> = {
    'imports/{id}': imported.id,
    'companies/{orgNr}': company.orgnr,
    'notes/{id}': note.id,
    'contacts/{id}': contact.id,
    'merge/{otherId}': (await workspace.contact()).id,
    'points/{pointId}': point.id,
    'companies/{linkId}': link.id,
    'tasks/{id}': task.id,
    'offers/{id}': offer.id,
    'keys/{id}': key.id,
    'members/{id}': workspace.member.id,
    // These belong to the person, not to the workspace: an id that nobody has will do.
    'sessions/{id}': randomUUID(),
    'passkeys/{id}': 'unknown',
    // The register belongs to no workspace.
    'register/{orgNr}': '923609016',
  };
  return (path) =>
    path.replaceAll(/(\w+)\/(\{\w+\})/g, (whole, before: string) => {
      const value = own[whole];
      if (value === undefined) throw new Error(`${path}: nothing to put into ${whole}; add it to this test`);
      return `${before}/${value}`;
    });
}

const home = await world.workspace();
const away = await world.workspace();
const pathOf = await filled(away);
const browser = await home.signIn();
const headers = { 'content-type': 'application/json' };
const bodyOf = (method: string) => (['POST', 'PATCH'].includes(method) ? { body: '{}', headers } : {});

describe.each(endpoints)('$route', ({ method, path, permission, operationId }) => {
  const ask = (client: typeof browser, more: { headers?: object } = {}) =>
    client.send({
      method,
      path: pathOf(path),
      ...bodyOf(method),
      headers: { ...bodyOf(method).headers, ...more.headers },
    });

  test('is for people who are signed in: no session is 401, and so is a key', async () => {
    const stranger = await ask(world.browser());
    expect([stranger.status, stranger.body?.code]).toEqual([401, 'unauthorized']);
    const authorization = `Bearer ${home.client.token}`;
    expect((await ask(world.browser(), { headers: { authorization } })).status).toBe(401);
  });

  test.skipIf(method === 'GET')('refuses what another site sends, and does nothing', async () => {
    const { status, body } = await ask(browser, { headers: { 'sec-fetch-site': 'cross-site' } });
    expect([status, body.code]).toEqual([403, 'cross_site']);
  });

  test.each(ROLES.filter((role) => permission.missingFrom(maskOfRole(role), role).length > 0))(
    'is refused to the role %s',
    async (role) => {
      const person = await home.addMember({}, role);
      const { status, body } = await ask(await home.signIn(person));
      expect([status, body.code]).toEqual([403, 'forbidden']);
    },
  );

  const isOfPath = path.includes('{') && !path.startsWith('/register/');
  test.skipIf(!isOfPath)('finds nothing of another workspace', async () => {
    const { status } = await ask(browser);
    // A missing body is refused before the database is asked.
    expect(method === 'POST' || method === 'PATCH' ? [400, 404] : [404]).toContain(status);
  });

  test('has a name of its own', () => {
    expect(endpoints.filter((one) => one.operationId === operationId)).toHaveLength(1);
  });
});

test('no parameter of a path or query takes text that PostgreSQL cannot store', async () => {
  const asked = [
    ...endpoints.map((one) => ({ ...one, client: browser })),
    ...entrance(parts).map((one) => ({ ...one, client: world.browser() })),
  ].flatMap(({ client, method, path, params, query }) => [
    ...Object.keys(params?.shape ?? {}).map((name) => ({
      client,
      method,
      path: path.replace(`{${name}}`, '%00'),
    })),
    ...Object.keys(query?.shape ?? {}).map((name) => ({ client, method, path: `${path}?${name}=%00` })),
  ]);
  const others: string[] = [];
  for (const { client, method, path } of asked) {
    const sent = client.send({ method, path: pathOf(path), ...bodyOf(method) });
    // An export that fails while it is sent is cut off.
    const status = await sent.then((answer) => answer.status, String);
    if (status !== 400 && status !== 404) others.push(`${method} ${path}: ${status}`);
  }
  expect(others).toEqual([]);
});

const restoring = endpoints.filter(({ path }) => path.endsWith('/restore'));

test.each(restoring)('$route brings back what was deleted, as it was', async ({ path }) => {
  const workspace = await world.workspace();
  const person = await workspace.signIn();
  const restore = (await filled(workspace))(path);
  const deleted = restore.replace('/restore', '');
  const before = await person.get(deleted);
  expect((await person.delete(deleted)).status).toBe(204);
  const { status, body } = await person.post(restore, {});
  expect(status).toBe(200);
  // Restoring changes `updated_at`; a note cannot be read on its own.
  const { updated_at: _, ...data } = before.body.data ?? {};
  expect(body.data).toMatchObject(data);
});

test('the application gets the rule that a field breaks, a key does not', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const contact = await workspace.contact();
  const rulesOf = async (path: string, body: object) => {
    const { details } = (await browser.post(path, body)).body;
    const key = await workspace.client.post(path, body);
    for (const detail of key.body?.details ?? []) expect(Object.keys(detail)).toEqual(['field', 'message']);
    return Object.fromEntries(details.map((one: { field: string; rule: string }) => [one.field, one.rule]));
  };
  const points = `/contacts/${contact.id}/points`;
  expect(await rulesOf(points, { type: 'email', value: 'kari@' })).toEqual({ value: 'email' });
  expect(await rulesOf(points, { type: 'other', value: ' ', label: 'x'.repeat(256) })).toEqual({
    value: 'required',
    label: 'too_long',
  });
  expect(await rulesOf('/tasks', { title: '\0', due_date: '2026-02-30', user_id: contact.id })).toEqual({
    title: 'text',
    due_date: 'date',
  });
  expect(await rulesOf('/offers', { user_id: contact.id, title: 'x', weight: 101, status: 'x' })).toEqual({
    company_id: 'required',
    weight: 'number',
    status: 'choice',
  });
  const task = { title: 'x', due_date: '2026-01-15T09:00:00Z', user_id: contact.id };
  expect(await rulesOf('/tasks', task)).toEqual({ user_id: 'reference' });
  expect(await rulesOf('/contacts', { id: contact.id, name: 'x' })).toEqual({ id: 'taken' });
  expect(await rulesOf('/companies', { orgnr: '923609016', email_address: 'x' })).toEqual({
    email_address: 'email',
  });
  const password = { current_password: '', new_password: 'kort' };
  const short = (await browser.post('/profile/password', password)).body.details;
  expect(short).toEqual([{ field: 'new_password', message: expect.any(String), rule: 'too_short' }]);
});

test('a fixed segment of a path is not taken for the parameter of another path', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  for (const path of ['/contacts/count', '/offers/board', '/tasks/groups']) {
    for (const method of ['PATCH', 'DELETE', 'POST']) {
      const answer = await browser.send({ method, path });
      expect([method, path, answer.status, answer.headers.allow]).toEqual([method, path, 405, 'GET, HEAD']);
    }
  }
});
