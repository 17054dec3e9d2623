import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startJournal } from './journal.ts';
import { takeNotes, tally, until, type Outcome } from './outcome.ts';
import { newFolder, openStage } from './stage.ts';

/** The library of Debian's package libfaketime. A file tells it by how much the clock is wrong. */
const LIBRARY = ['x86_64', 'aarch64']
  .map((machine) => `/usr/lib/${machine}-linux-gnu/faketime/libfaketimeMT.so.1`)
  .find((path) => existsSync(path));

const STEPS = ['+1h', '-1h', '+2d', '+0'];

/** Test 30: the clock of the service and of PostgreSQL is set forward and back while they run. */
export async function stepClock({ writes }: { writes: number }): Promise<Outcome> {
  const notes = takeNotes();
  if (LIBRARY === undefined) {
    notes.skip('libfaketime is not installed: no step of the clock was tried');
    return notes;
  }
  await using stops = new AsyncDisposableStack();
  const folder = await newFolder(stops);
  const clock = join(folder, 'clock');
  const step = (by: string) => writeFile(clock, `${by}\n`);
  await step('+0');
  const environment = {
    LD_PRELOAD: LIBRARY,
    FAKETIME_TIMESTAMP_FILE: clock,
    FAKETIME_NO_CACHE: '1',
    FAKETIME_DONT_FAKE_MONOTONIC: '1',
  };
  await using stage = await openStage({ launcher: (binaries) => wrap(binaries, folder, environment) });
  const service = await stage.service({ ...environment, RATE_LIMIT: '100/1' });
  const workspace = await stage.workspace(service);
  const reader = await stage.workspace(service);
  const journal = await startJournal(workspace.client, workspace, 4);
  const seen: string[] = [];
  let cursor = '';
  const follow = async () => {
    for (;;) {
      const { status, body } = await followed.get(`/changes?limit=1000&cursor=${cursor}`);
      if (status !== 200) return;
      cursor = body.page.next_cursor;
      seen.push(...body.data.map(({ id }: { id: string }) => id));
      if (body.data.length === 0) return;
    }
  };
  const followed = (await workspace.key()).client;
  const reads: number[] = [];
  const shown: number[] = [];
  for (const by of STEPS) {
    await step(by);
    const before = journal.acknowledged();
    await until(`writes go on at ${by}`, () => journal.acknowledged() > before + writes);
    for (let count = 0; count < 5; count++) reads.push((await reader.client.get('/companies')).status);
    shown.push(
      (await stage.query('select extract(epoch from clock_timestamp()) as now'))[0].now - Date.now() / 1_000,
    );
    await follow();
  }
  await journal.stop();
  await follow();
  await journal.compare(stage, notes, [201, 429, 503]);
  const [{ n }] = await stage.query('select count(*)::int as n from changes where tenant_id = $1', [
    workspace.id,
  ]);
  notes.note('clock of PostgreSQL off by s', shown.map(Math.round).join(', '));
  notes.demand(
    reads.every((status) => status === 200),
    'reads of another key',
    tally(reads),
  );
  notes.demand(n === seen.length && new Set(seen).size === n, `changes ${n}, followed`, seen.length);
  notes.demand(await isReady(service), 'ready', true);
  return notes;
}

const isReady = async (service: { probe(path: string): Promise<number> }) =>
  (await service.probe('/readyz')) === 200;

/** PostgreSQL is started without these variables: a script in place of pg_ctl sets them, the server inherits them. */
async function wrap(binaries: string, folder: string, environment: Record<string, string>): Promise<string> {
  const program = join(folder, 'bin', 'pg_ctl');
  await mkdir(join(folder, 'bin'));
  const lines = Object.entries(environment).map(([name, value]) => `export ${name}='${value}'`);
  await writeFile(program, ['#!/bin/sh', ...lines, `exec '${binaries}/bin/pg_ctl' "$@"`, ''].join('\n'));
  await chmod(program, 0o755);
  return folder;
}
