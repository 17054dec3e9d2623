import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { afterAll, expect, test } from 'vitest';
import { catchUp, openCopy } from '../../examples/accounting-copy.ts';
import { createCrm, type Crm } from '../../examples/crm.ts';
import { pruneChanges } from '../../src/changes/prune.ts';
import { pruneEach } from '../../src/service/retention.ts';
import { flagCompany } from '../../src/companies/store.ts';
import { connect } from '../../src/db/connect.ts';
import { tenantOfCommand } from '../../src/db/tenant.ts';
import { startExample } from './example-process.ts';
import { MOMENTS, runUntilKilled } from './killed.ts';
import { walk } from '../walk.ts';
import { createWorld, type Workspace } from '../world.ts';

const world = await createWorld();
const db = connect({ url: world.databaseUrl, connections: 2, onIdleError: () => {} });
const folder = await mkdtemp(join(tmpdir(), 'copy-'));
afterAll(async () => {
  await db.close();
  await rm(folder, { recursive: true });
});

const access = ({ client }: Workspace) => ({ address: `${world.origin}/api/v1`, key: client.token! });

function rowsOf(copy: DatabaseSync): Record<string, unknown> {
  const rows = copy.prepare('select resource, id, body from rows').all();
  return Object.fromEntries(
    rows.map(({ resource, id, body }) => [`${String(resource)} ${String(id)}`, JSON.parse(String(body))]),
  );
}

async function rowsOfWorkspace({ client }: Workspace): Promise<Record<string, unknown>> {
  const lists = { company: '/companies', contact: '/contacts?include=points,links', offer: '/offers' };
  const rows = Object.entries(lists).map(async ([resource, path]) =>
    (await walk(client, path)).map((row) => [`${resource} ${row.id}`, row]),
  );
  return Object.fromEntries((await Promise.all(rows)).flat());
}

async function expectEqual(copy: DatabaseSync, workspace: Workspace): Promise<void> {
  const [copied, there] = [rowsOf(copy), await rowsOfWorkspace(workspace)];
  expect(Object.keys(copied).toSorted()).toEqual(Object.keys(there).toSorted());
  expect(copied).toEqual(there);
}

async function toEnd(crm: Crm, copy: DatabaseSync): Promise<void> {
  while (await catchUp(crm, copy));
}

const flag = ({ id }: Workspace, orgnr: string, is_deleted: boolean) =>
  tenantOfCommand(db, id, 'test').row(flagCompany, {
    orgnr,
    is_deleted,
    with_deleted: true,
    if_match: null,
  });

/** One turn of somebody's work: each kind of change that there is. */
async function work(workspace: Workspace, turn: number): Promise<void> {
  const { client } = workspace;
  const [company, contact] = [await workspace.company(), await workspace.contact()];
  const offer = await workspace.offer({ company_id: company.id, title: `Avtale ${turn}` });
  const points = `/contacts/${contact.id}/points`;
  const point = await client.post(points, { type: 'email', value: `kari+${turn}@example.no` });
  const link = await client.post(`/contacts/${contact.id}/companies`, { company_id: company.id });
  await client.patch(`/companies/${company.orgnr}`, { status: 'customer' });
  await client.patch(`/offers/${offer.id}`, { one_time_revenue: turn });
  await client.patch(`${points}/${point.body.data.id}`, { value: `ola+${turn}@example.no` });
  await client.post(`/companies/${company.orgnr}/notes`, { text: 'Ringt' });
  if (turn % 2 === 0) await client.send({ method: 'DELETE', path: `${points}/${point.body.data.id}` });
  const links = `/contacts/${contact.id}/companies/${link.body.data.id}`;
  if (turn % 3 === 0) await client.send({ method: 'DELETE', path: links });
  if (turn % 4 === 0) await client.send({ method: 'DELETE', path: `/contacts/${contact.id}` });
  if (turn % 3 === 1) await flag(workspace, company.orgnr, true);
  if (turn % 6 === 1) await flag(workspace, company.orgnr, false);
}

/** People at work until they are told to stop. */
function startWork(workspace: Workspace, people: number): { stop(): Promise<void> } {
  const end = new AbortController();
  const all = Array.from({ length: people }, async (_, person) => {
    for (let turn = person; !end.signal.aborted; turn++) await work(workspace, turn);
  });
  return {
    async stop() {
      end.abort();
      await Promise.all(all);
    },
  };
}

test('a copy that is stopped at every call while people work equals the workspace in the end', async () => {
  const workspace = await world.workspace();
  // More contacts than a page of a list holds.
  await Promise.all(Array.from({ length: 105 }, () => workspace.contact()));
  const people = startWork(workspace, 3);
  const file = join(folder, 'killed.db');
  const kills = Array.from({ length: 12 }, (_, index) =>
    MOMENTS.map((moment) => ({ call: index + 1, moment })),
  ).flat();
  for (const kill of kills) {
    const copy = openCopy(file);
    const forever = async (crm: Crm) => {
      for (;;) await catchUp(crm, copy);
    };
    const { killed } = await runUntilKilled(access(workspace), forever, kill);
    expect(killed).toBe(true);
    // As the end of the process does, this rolls back what is under way.
    copy.close();
  }
  await people.stop();

  const copy = openCopy(file);
  await toEnd(createCrm(access(workspace)), copy);
  await expectEqual(copy, workspace);
  copy.close();
});

test('a copy whose cursor has expired is rebuilt', async () => {
  const workspace = await world.workspace();
  const crm = createCrm(access(workspace));
  const copy = openCopy(join(folder, 'expired.db'));
  await work(workspace, 0);
  await work(workspace, 1);
  await toEnd(crm, copy);
  await expectEqual(copy, workspace);

  await work(workspace, 4);
  await work(workspace, 5);
  const { body } = await workspace.client.get('/contacts');
  await workspace.client.send({ method: 'DELETE', path: `/contacts/${body.data[0].id}` });
  await pruneEach(db, pruneChanges, Temporal.Instant.from('2100-01-01T00:00:00Z'));
  const { cursor } = copy.prepare('select cursor from progress').get()!;
  expect((await workspace.client.get(`/changes?cursor=${String(cursor)}`)).body.code).toBe('cursor_expired');
  await toEnd(crm, copy);
  await expectEqual(copy, workspace);
  await work(workspace, 2);
  await toEnd(crm, copy);
  await expectEqual(copy, workspace);
  copy.close();
});

test('the program keeps up live, is killed with its process, and ends by itself at night', async () => {
  const workspace = await world.workspace();
  // The permissions that the program needs.
  const { token } = await workspace.key(['companies:read', 'contacts:read', 'offers:read']);
  const settings = { CRM_ADDRESS: access(workspace).address, CRM_KEY: token };
  const file = join(folder, 'live.db');
  const copy = openCopy(file);
  await work(workspace, 2);
  const live = startExample(['accounting-copy.ts', file, '--live'], settings);
  const people = startWork(workspace, 2);
  await expect.poll(() => Object.keys(rowsOf(copy)).length).toBeGreaterThan(10);
  live.kill('SIGKILL');
  await live.ended;
  await people.stop();

  const night = startExample(['accounting-copy.ts', file], settings);
  expect(await night.ended).toEqual({ code: 0, stderr: '' });
  await expectEqual(copy, workspace);
  copy.close();
});

test('an answer that breaks off in its body is asked for again', async () => {
  const workspace = await world.workspace();
  await workspace.contact();
  const asked = new Set<string>();
  const pass = async ({ url = '', headers }: IncomingMessage, response: ServerResponse) => {
    const answer = await fetch(world.origin + url, { headers: { authorization: headers.authorization! } });
    const body = Buffer.from(await answer.arrayBuffer());
    response.writeHead(answer.status, { 'content-type': 'application/json', 'content-length': body.length });
    if (asked.has(url)) response.end(body);
    else response.write(body.subarray(0, body.length / 2), () => response.destroy());
    asked.add(url);
  };
  const halving = createServer((request, response) => void pass(request, response));
  await new Promise<void>((done) => halving.listen(0, '127.0.0.1', done));
  const { port } = halving.address() as AddressInfo;
  const copy = openCopy(':memory:');
  try {
    const address = `http://127.0.0.1:${port}/api/v1`;
    await toEnd(createCrm({ address, key: workspace.client.token! }), copy);
    await expectEqual(copy, workspace);
    expect(asked.size).toBeGreaterThan(3);
  } finally {
    copy.close();
    halving.close();
  }
});
