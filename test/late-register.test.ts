import { expect, test } from 'vitest';
import { idOf } from '../src/keys/key.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { numbered } from './import-file.ts';
import { countAnswers, countRows, isReplay, sendWithKey } from './repeats.ts';
import { unjudged } from './unjudged.ts';
import { createWorld, type World } from './world.ts';
import { freshOrgnr } from './workspace.ts';

const world = await createWorld();

/** A service with a slow register: `asked` resolves when it is asked, and it answers after `answerNow`. */
async function startSlow() {
  const { promise: asked, resolve: isAsked } = Promise.withResolvers<void>();
  const { promise: answered, resolve: answerNow } = Promise.withResolvers<void>();
  const sandbox = sandboxRegister();
  const find = async (orgnr: string) => {
    isAsked();
    await answered;
    return sandbox.find(orgnr);
  };
  return { running: await world.start({ register: { ...sandbox, find } }), asked, answerNow };
}

/** Revokes a key or lets it expire, and waits until a service refuses it. */
async function endKey(on: Pick<World, 'origin'>, token: string, change = 'revoked_at = now()') {
  await world.query(`update api_keys set ${change} where id = $1`, [idOf(token)]);
  await expect.poll(async () => (await unjudged(on, token).get('/me')).status).toBe(401);
}

const newCompany = () => ({ method: 'POST', path: '/companies', body: { orgnr: freshOrgnr() } });

test.each([
  ['revoked', 'revoked_at = now()'],
  ['expired', "expires_at = now() - interval '1 minute'"],
])('a company that the register finds after the key was %s is not created', async (_, change) => {
  const { running, asked, answerNow } = await startSlow();
  const workspace = await world.workspace(running);
  const { path, body } = newCompany();
  const sent = workspace.client.post(path, body);
  await asked;
  await endKey(running, workspace.client.token!, change);
  answerNow();
  expect((await sent).status).toBe(401);
  expect(await countRows(world, workspace)).toBe(0);
});

test('nothing is stored for the Idempotency-Key of a company that was not created', async () => {
  const { running, asked, answerNow } = await startSlow();
  const workspace = await world.workspace();
  const { token = '' } = workspace.client;
  const sent = sendWithKey(unjudged(running, token), newCompany(), 'a');
  await asked;
  await endKey(running, token);
  answerNow();
  expect((await sent).status).toBe(401);
  expect(await countRows(world, workspace)).toBe(0);
  expect(await countAnswers(world, workspace)).toBe(0);
});

test('a key that was revoked meanwhile is not told what its request made on another process', async () => {
  const { running, asked, answerNow } = await startSlow();
  const { token = '' } = (await world.workspace()).client;
  const sample = newCompany();
  const sent = sendWithKey(unjudged(running, token), sample, 'a');
  await asked;
  expect((await sendWithKey(unjudged(world, token), sample, 'a')).status).toBe(201);
  await endKey(running, token);
  answerNow();
  expect((await sent).status).toBe(401);
});

test('what the workspace has of a unit is not told to a key that was revoked meanwhile', async () => {
  const { running, asked, answerNow } = await startSlow();
  const { client, company } = await world.workspace();
  const { orgnr } = await company();
  const read = unjudged(running, client.token!).get(`/register/${orgnr}`);
  await asked;
  await endKey(running, client.token!);
  answerNow();
  expect((await read).status).toBe(401);
});

test.each([
  ['removed', (id: string) => [`/members/${id}/remove`, {}] as const, 401],
  ['demoted', (id: string) => [`/members/${id}`, { role: 'member' }] as const, 403],
])('rows of somebody who was %s while the register was asked are not imported', async (_, change, status) => {
  const { running, asked, answerNow } = await startSlow();
  const workspace = await world.workspace();
  const admin = await workspace.addMember({ first_name: 'Anne' }, 'admin');
  const browser = running.browser(await workspace.sessionOf(admin));
  const about = { resource: 'company', columns: ['orgnr'], file_name: 'a.csv', row_count: 2 };
  const { id } = (await browser.post('/imports', about)).body.data;
  const rows = numbered([[], [freshOrgnr()], [freshOrgnr()]]);
  const batch = { method: 'POST', path: `/imports/${id}/rows`, body: { rows } };
  const [plain, keyed] = [browser.post(batch.path, batch.body), sendWithKey(browser, batch, 'a')];
  await asked;
  const owner = await workspace.signIn();
  const [path, body] = change(admin.id);
  const changed = path.endsWith('remove') ? await owner.post(path, body) : await owner.patch(path, body);
  expect(changed.status).toBe(200);
  answerNow();
  expect((await plain).status).toBe(status);
  expect((await keyed).status).toBe(status);
  expect(await countRows(world, workspace)).toBe(0);
  expect(await countAnswers(world, workspace)).toBe(0);
  if (status === 401) return;
  await owner.patch(path, { role: 'admin' });
  const again = await sendWithKey(browser, batch, 'a');
  expect([again.status, isReplay(again)]).toEqual([200, false]);
  expect((await workspace.client.get('/companies')).body.data).toHaveLength(2);
});

test('a company that the register finds after its session went to another workspace is not created', async () => {
  const { running, asked, answerNow } = await startSlow();
  const [shown, other] = [await world.workspace(), await world.workspace()];
  await world.query(
    "insert into memberships (tenant_id, user_id, role, joined_at) values ($1, $2, 'member', now())",
    [other.id, shown.owner.id],
  );
  const browser = running.browser(await shown.sessionOf(shown.owner));
  const { body, ...rest } = newCompany();
  const headers = { 'content-type': 'application/json', 'kundebok-workspace': shown.id };
  const sent = browser.send({ ...rest, headers, body: JSON.stringify(body) });
  await asked;
  expect((await browser.post('/session/workspace', { workspace_id: other.id })).status).toBe(200);
  answerNow();
  const { status, body: problem } = await sent;
  expect([status, problem.code]).toEqual([409, 'workspace_changed']);
  expect(await countRows(world, shown)).toBe(0);
});
