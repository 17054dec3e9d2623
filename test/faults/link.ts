import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Client } from '../client.ts';
import { openClient } from '../database.ts';
import { startProxy, type Proxy } from '../proxy.ts';
import type { Workspace } from '../workspace.ts';
import { takeNotes, tally, until, type Notes, type Outcome } from './outcome.ts';
import type { Service } from './service.ts';
import type { Stage } from './stage.ts';

/** The longest that an answer may take: 8 s for a statement, 3 s for a connection, and a second for the rest. */
const DEADLINE_MS = 12_000;

/** How long /readyz may still report the state before the trouble. */
const SETTLES_MS = 2_000;

type Trouble = {
  name: string;
  begin: (at: Scene) => Promise<void> | void;
  end: (at: Scene) => Promise<void> | void;
  /** The statuses that requests may be answered with meanwhile. */
  statuses: readonly number[];
  /** What /readyz may say meanwhile. */
  ready: readonly number[];
};

type Scene = {
  stage: Stage;
  line: Proxy;
  service: Service;
  workspace: Workspace;
  held: (() => Promise<void>)[];
};

const TROUBLES: readonly Trouble[] = [
  {
    name: 'a delay of 2 s',
    begin: ({ line }) => line.distort({ delayMs: 1_000 }),
    end: ({ line }) => line.pass(),
    statuses: [200, 201, 503],
    ready: [503],
  },
  {
    name: '1 KB/s',
    begin: ({ line }) => line.distort({ bytesPerSecond: 1_024 }),
    end: ({ line }) => line.pass(),
    statuses: [200, 201, 503],
    ready: [200, 503],
  },
  {
    name: 'a few bytes at a time',
    begin: ({ line }) => line.distort({ sliceBytes: 3 }),
    end: ({ line }) => line.pass(),
    statuses: [200, 201],
    ready: [200, 503],
  },
  {
    name: 'a dead line',
    begin: ({ line }) => line.swallow(),
    end: ({ line }) => line.pass(),
    statuses: [503],
    ready: [503],
  },
  {
    name: 'a refused line',
    begin: ({ line }) => line.refuse(),
    end: ({ line }) => line.pass(),
    statuses: [503],
    ready: [503],
  },
  {
    name: 'a frozen server',
    begin: ({ stage }) => stage.postgres.freeze(),
    end: ({ stage }) => stage.postgres.thaw(),
    statuses: [503],
    ready: [503],
  },
  {
    name: 'all connections taken',
    begin: takeConnections,
    end: giveBack,
    statuses: [503],
    ready: [503],
  },
  {
    name: 'a locked table',
    begin: lockContacts,
    end: giveBack,
    statuses: [200, 503],
    ready: [200],
  },
];

/** Test 28: trouble on the line to PostgreSQL and in the server. @param only names of troubles, all unless given */
export async function troubleDatabase(
  stage: Stage,
  { seconds, only = TROUBLES.map(({ name }) => name) }: { seconds: number; only?: readonly string[] },
): Promise<Outcome> {
  const notes = takeNotes();
  const line = await startProxy(stage.postgres);
  stage.defer(() => line.stop());
  const through = Object.assign(new URL(stage.postgres.url), { port: String(line.port) }).href;
  const service = await stage.service({ DATABASE_URL: through, DATABASE_CONNECTIONS: '4' });
  const workspace = await stage.workspace(service);
  const scene: Scene = { stage, line, service, workspace, held: [] };
  stage.defer(() => giveBack(scene));
  for (const trouble of TROUBLES.filter(({ name }) => only.includes(name))) {
    await suffer(scene, trouble, seconds, notes);
  }
  if (only.length === TROUBLES.length) await deadlock(scene, notes);
  notes.demand(service.isRunning(), 'process alive', service.isRunning());
  return notes;
}

async function suffer(scene: Scene, trouble: Trouble, seconds: number, notes: Notes): Promise<void> {
  const { service, workspace } = scene;
  const { name } = trouble;
  await trouble.begin(scene);
  const until_ = performance.now() + seconds * 1_000;
  const settled = performance.now() + SETTLES_MS;
  const statuses: number[] = [];
  const ready: number[] = [];
  const live: number[] = [];
  let longest = 0;

  async function ask(read: boolean): Promise<void> {
    do {
      const began = performance.now();
      const { status } = await (read ? workspace.client.get('/companies') : write(workspace.client));
      longest = Math.max(longest, performance.now() - began);
      statuses.push(status);
      if (status === 503) await sleep(100);
    } while (performance.now() < until_);
  }

  async function look(): Promise<void> {
    do {
      const began = performance.now();
      live.push(await service.probe('/healthz'));
      longest = Math.max(longest, performance.now() - began);
      const isEarly = performance.now() < settled;
      const status = await service.probe('/readyz');
      if (!isEarly) ready.push(status);
      await sleep(200);
    } while (performance.now() < until_);
  }

  await Promise.all([...[true, true, false, false].map(ask), look()]);
  await trouble.end(scene);
  const ended = performance.now();
  await until(`${name}: ready again`, async () => (await service.probe('/readyz')) === 200);
  await until(`${name}: writes again`, async () => (await write(workspace.client)).status === 201);
  notes.note(`${name}: ${tally(statuses)}; back after ms`, performance.now() - ended);
  const seenAndMay: [what: string, seen: number[], may: readonly number[]][] = [
    ['statuses', statuses, trouble.statuses],
    ['/readyz', ready, trouble.ready],
    ['/healthz', live, [200]],
  ];
  for (const [what, seen, may] of seenAndMay) {
    const other = seen.filter((status) => !may.includes(status));
    if (other.length > 0) notes.demand(false, `${name}: ${what}`, tally(seen));
  }
  notes.demand(longest <= DEADLINE_MS, 'longest answer ms', longest);
}

const write = (client: Client) => client.post('/contacts', { name: 'Kari' });

/** Takes them as the superuser, who may take the reserved ones as well. */
async function takeConnections({ stage, held }: Scene): Promise<void> {
  const admin = await openQuiet(stage.postgres.superuserUrl);
  const taken = [admin];
  held.push(async () => void (await Promise.all(taken.map((client) => client.end()))));
  await admin.query('alter role kundebok connection limit 0');
  await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'kundebok'");
  for (;;) {
    const client = await openQuiet(stage.postgres.superuserUrl).catch(() => undefined);
    if (!client) break;
    taken.push(client);
  }
  await admin.query('alter role kundebok connection limit -1');
}

/** Opens a connection that the server may end without an error in the test. */
async function openQuiet(url: string) {
  const client = await openClient(url);
  client.on('error', () => {});
  return client;
}

async function lockContacts({ stage, held }: Scene): Promise<void> {
  const admin = await openQuiet(stage.postgres.superuserUrl);
  await admin.query('begin; lock table contacts in access exclusive mode');
  held.push(() => admin.end());
}

async function giveBack({ held }: Scene): Promise<void> {
  for (const give of held.splice(0)) await give();
}

/** The service waits for a row that another transaction holds, which in turn waits for a lock of the service. */
async function deadlock({ stage, workspace }: Scene, notes: Notes): Promise<void> {
  const contact = await workspace.contact();
  const key = randomUUID();
  await using admin = await openClient(stage.postgres.superuserUrl);
  await admin.query("set deadlock_timeout = '1min'");
  await admin.query('begin');
  await admin.query('select from contacts where id = $1 for update', [contact.id]);
  const body = JSON.stringify({ type: 'mobile', value: '1' });
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  const path = `/contacts/${contact.id}/points`;
  const post = () => workspace.client.send({ method: 'POST', path, headers, body });
  const answer = post();
  const waiting = `select pid from pg_stat_activity where application_name = 'kundebok' and pid in
    (select pid from pg_locks where not granted)`;
  await until('the service waits', async () => (await stage.query(waiting)).length > 0);
  // The service holds the lock of the Idempotency-Key, whose number pg_locks shows in two halves.
  const [lock] = await stage.query(
    `select (classid::bigint << 32) + objid::bigint as number from pg_locks where locktype = 'advisory' and granted
     and pid in (${waiting})`,
  );
  await admin.query('select pg_advisory_xact_lock($1)', [lock.number]);
  await admin.query('commit');
  const [first, second] = [await answer, await post()];
  notes.demand(first.status === 503, 'deadlock', first.status);
  notes.demand(second.status === 201, 'its repeat', second.status);
}
