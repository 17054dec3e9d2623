import { expect, test } from 'vitest';
import { countWaiters, holdRow } from '../../test/locks.ts';
import { sendWithKey } from '../../test/repeats.ts';
import { createWorld, type Workspace } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { claimRun, requireRun } from './run.ts';

// Enough connections for all requests that wait at once: one key may use three quarters of them.
const world = await createWorld({ databaseConnections: 12 });

type Browser = Awaited<ReturnType<Workspace['signIn']>>;

/** Asks until the run has ended in this state. */
async function endsIn(browser: Browser, state: string): Promise<void> {
  while ((await stateOf(browser)) !== state);
}

const stateOf = async (browser: Browser) => (await browser.get('/demo')).body.data.state;

test('an owner fills an empty workspace, and takes the demo away again', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  expect((await browser.get('/demo')).body.data).toEqual({ state: 'none', is_possible: true });

  const added = await browser.post('/demo', {});
  expect(added.status).toBe(202);
  await endsIn(browser, 'there');
  expect((await browser.get('/companies?limit=100')).body.data.length).toBeGreaterThan(50);
  expect((await browser.post('/demo', {})).body.data).toEqual({ state: 'there', is_possible: false });

  expect((await browser.delete('/demo')).status).toBe(202);
  await endsIn(browser, 'none');
  expect((await browser.get('/companies')).body.data).toEqual([]);
  expect((await browser.delete('/demo')).body.data.state).toBe('none');
});

test('while a run goes on, everybody sees it, and no other begins', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
  const other = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
  // Stands for a run in another process, which then dies.
  const [held, death] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const dead = db
    .transaction(async (transaction) => {
      await requireRun(transaction, workspace.id, 'adding');
      held.resolve();
      await death.promise;
    })
    .catch(() => undefined);
  await held.promise;
  expect((await browser.get('/demo')).body.data).toEqual({ state: 'adding', is_possible: false });
  expect((await browser.post('/demo', {})).body.data.state).toBe('adding');
  expect((await other.row(claimRun, { tenant: workspace.id }))?.is_claimed).toBe(false);
  death.reject(new Error('killed'));
  await dead;
  expect((await browser.get('/demo')).body.data).toEqual({ state: 'none', is_possible: true });
  expect((await browser.get('/companies')).body.data).toEqual([]);
  await Promise.all([db.close(), other.close()]);
});

test('a run that has ended is not taken for the opposite one while it still holds its lock', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const db = connect({ url: world.databaseUrl, connections: 1, onIdleError: () => {} });
  const states: string[] = [];
  for (const run of ['adding', 'removing'] as const) {
    await db.transaction(async (transaction) => {
      await requireRun(transaction, workspace.id, run);
      states.push(await stateOf(browser));
      await world.query(
        run === 'adding'
          ? 'insert into demo_data (tenant_id) values ($1)'
          : 'delete from demo_data where tenant_id = $1',
        [workspace.id],
      );
      states.push(await stateOf(browser));
    });
  }
  expect(states).toEqual(['adding', 'there', 'removing', 'none']);
  await db.close();
});

test('when two requests begin a run at once, only one run fills the workspace', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const both = await Promise.all([1, 2].map(() => browser.post('/demo', {})));
  expect(both.map(({ status }) => status)).toEqual([202, 202]);
  await endsIn(browser, 'there');
  const count = await world.query('select count(*)::int as n from companies where tenant_id = $1', [
    workspace.id,
  ]);
  expect(count[0].n).toBe(60);
});

test('a workspace with companies is not filled, and only an owner may add or remove a demo', async () => {
  const workspace = await world.workspace();
  const member = await workspace.signIn(await workspace.addMember({}, 'admin'));
  for (const refused of [await member.post('/demo', {}), await member.delete('/demo')])
    expect([refused.status, refused.body.code]).toEqual([403, 'forbidden']);
  expect((await member.get('/demo')).status).toBe(200);
  await workspace.company();
  const browser = await workspace.signIn();
  const refused = await browser.post('/demo', {});
  expect([refused.status, refused.body.code]).toEqual([409, 'workspace_not_empty']);
});

test('once the demo is removed, deleted rows that people added can be restored, those of the demo cannot', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await browser.post('/demo', {});
  await endsIn(browser, 'there');
  const { data: companies } = (await browser.get('/companies?limit=3')).body;
  const { data: ofDemo } = (await browser.get('/offers?limit=1')).body;
  const silje = (await workspace.client.get('/users?email=silje.bakken@example.no')).body.data[0];
  const offer = await workspace.offer({ company_id: companies[0].id });
  const task = await workspace.task({ related_company_id: companies[1].id, user_id: silje.id });
  const notes = `/companies/${companies[2].orgnr}/notes`;
  const note = (await browser.post(notes, { text: 'Min' })).body.data;
  const own = [`/offers/${offer.id}`, `/tasks/${task.id}`, `${notes}/${note.id}`];
  for (const path of [...own, `/offers/${ofDemo[0].id}`])
    expect((await browser.delete(path)).status).toBe(204);

  await browser.delete('/demo');
  await endsIn(browser, 'none');
  const kept = (await browser.get('/companies')).body.data.map(({ id }: { id: string }) => id);
  expect(kept).toEqual(companies.map(({ id }: { id: string }) => id));
  for (const path of own) expect((await browser.post(`${path}/restore`, {})).status).toBe(200);
  expect((await browser.post(`/offers/${ofDemo[0].id}/restore`, {})).status).toBe(404);
  expect(await world.query('select from deleted_rows where tenant_id = $1', [workspace.id])).toEqual([]);
});

test('companies of the demo are removed with all that has happened to them, and the demo can be added again', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  await browser.post('/demo', {});
  await endsIn(browser, 'there');
  const [one, two, three] = (await browser.get('/companies?limit=3')).body.data;
  const changes = {
    status: one.status === 'customer' ? 'disqualified' : 'customer',
    assigned_to: workspace.member.id,
  };
  expect((await browser.patch(`/companies/${one.orgnr}`, changes)).status).toBe(200);
  expect((await browser.post(`/companies/${two.orgnr}/archive`, {})).status).toBe(200);
  expect((await browser.delete(`/companies/${three.orgnr}`)).status).toBe(204);
  // The entry that a change in the register adds.
  await world.query(
    `insert into timeline_entries (tenant_id, company_id, type, content)
     values ($1, $2, 'register_change', '{"fields": ["employees"]}')`,
    [workspace.id, one.id],
  );

  await browser.delete('/demo');
  await endsIn(browser, 'none');
  for (const table of ['companies', 'timeline_entries'])
    expect(await world.query(`select from ${table} where tenant_id = $1`, [workspace.id])).toEqual([]);
  expect((await browser.post('/demo', {})).status).toBe(202);
  await endsIn(browser, 'there');
});

test('a write that refers to the demo while it is being removed is refused as if it were already gone', async () => {
  const workspace = await world.workspace();
  const { client, owner } = workspace;
  const browser = await workspace.signIn();
  await browser.post('/demo', {});
  await endsIn(browser, 'there');
  const [company] = (await browser.get('/companies?limit=1')).body.data;
  const [offer] = (await browser.get('/offers?limit=1')).body.data;
  const silje = (await client.get('/users?email=silje.bakken@example.no')).body.data[0];
  const [task, contact, own] = [await workspace.task(), await workspace.contact(), await workspace.company()];
  const fields = { title: 'Ring', due_date: '2026-01-15T09:00:00Z' };
  const ofOwner = { ...fields, user_id: owner.id, related_company_id: company.id };

  // When the removal waits for this offer, it has locked the demo's members, companies and contacts.
  const held = await holdRow(
    world.databaseUrl,
    'select from offers where tenant_id = $1 and id = $2 for update',
    [workspace.id, offer.id],
  );
  await browser.delete('/demo');
  await held.awaited();
  const writes = [
    client.post('/tasks', ofOwner),
    sendWithKey(client, { method: 'POST', path: '/tasks', body: { ...fields, user_id: silje.id } }, 'k'),
    client.post('/offers', { title: 'Avtale', user_id: owner.id, company_id: company.id }),
    client.post(`/companies/${company.orgnr}/notes`, { text: 'Ringte' }),
    client.post(`/contacts/${contact.id}/companies`, { company_id: company.id }),
    client.patch(`/tasks/${task.id}`, { user_id: silje.id }),
    client.patch(`/companies/${own.orgnr}`, { assigned_to: silje.id }),
  ];
  await expect.poll(() => countWaiters(world)).toBe(1 + writes.length);
  await held.commit();
  const answers = (await Promise.all(writes)).map(({ status, body }) => [
    status,
    body.details?.[0].field ?? body.code,
  ]);
  expect(answers).toEqual([
    [400, 'related_company_id'],
    [400, 'user_id'],
    [400, 'company_id'],
    [404, 'not_found'],
    [400, 'company_id'],
    [400, 'user_id'],
    [400, 'assigned_to'],
  ]);
  await endsIn(browser, 'none');
});
