import { expect, test } from 'vitest';
import { createWorld, type Workspace } from '../../test/world.ts';
import { connect } from '../db/connect.ts';
import { claimRun, requireRun } from './run.ts';

const world = await createWorld();

type Browser = Awaited<ReturnType<Workspace['signIn']>>;

/** Asks until the run has ended. */
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
  // Another process, which then dies.
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
      await world.sql(
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

test('of two who begin at once, one run fills the workspace', async () => {
  const workspace = await world.workspace();
  const browser = await workspace.signIn();
  const both = await Promise.all([1, 2].map(() => browser.post('/demo', {})));
  expect(both.map(({ status }) => status)).toEqual([202, 202]);
  await endsIn(browser, 'there');
  const count = await world.sql('select count(*)::int as n from companies where tenant_id = $1', [
    workspace.id,
  ]);
  expect(count[0].n).toBe(60);
});

test('a workspace with companies is not filled, nor by anybody but an owner', async () => {
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
