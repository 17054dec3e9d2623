import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openClient, runSql } from '../database.ts';
import { readDocument } from '../documents.ts';
import { kundebokHere, kundebokJson, ROOT } from '../service.ts';
import { findPrograms, startInstalled, urlOf } from './replicated-postgres.ts';

const programs = findPrograms();
if (!programs) process.stderr.write('SKIPPED: no pg_dump is installed; no dump is made and restored\n');

/** The scripts of a document that run PostgreSQL's own programs. */
async function scriptsOf(path: string): Promise<string[]> {
  const { blocks } = await readDocument(path);
  return blocks.filter(({ info }) => info.includes("PostgreSQL's client tools")).map(({ text }) => text);
}

/** A database of a role that is no superuser, for what the documents show. */
async function start() {
  const { folder, host } = await startInstalled(programs!);
  await runSql(urlOf(host), 'create role kundebok login');
  // The documents call bin/kundebok, from a folder that their scripts also write files into.
  mkdirSync(join(folder, 'bin'));
  symlinkSync(join(ROOT, 'bin', 'kundebok'), join(folder, 'bin', 'kundebok'));
  const settings = (name: string) => ({ DATABASE_URL: `postgres://kundebok@${host}/${name}` });
  const make = (name: string) => runSql(urlOf(host), `create database ${name} owner kundebok`);
  const run = (script: string, name: string) =>
    execFileSync('sh', ['-e', '-c', script], {
      cwd: folder,
      env: { ...settings(name), PATH: `${programs}:${process.env['PATH']}` },
      // PostgreSQL writes a notice for what it drops.
      stdio: ['ignore', 'ignore', 'pipe'],
    });
  /** What the workspace holds, without the line that says when this was read. */
  const read = async (workspace: string, name: string) => {
    const file = join(folder, `${name}-${performance.now()}.jsonl`);
    await kundebokJson(['export', file, '--workspace', workspace], settings(name), kundebokHere);
    return (await readFile(file, 'utf8')).split('\n').slice(1);
  };
  /** A workspace with half a year of work. */
  const fill = async (name: string): Promise<string> => {
    await make(name);
    await kundebokHere(['migrate'], settings(name));
    const owner = [
      '--owner-email',
      'kari@prove.no',
      '--owner-first-name',
      'Kari',
      '--owner-last-name',
      'Berg',
    ];
    const { workspace_id } = await kundebokJson(
      ['workspace', 'create', '--name', 'Prøve AS', ...owner],
      settings(name),
      kundebokHere,
    );
    await kundebokJson(['demo', '--workspace', workspace_id], settings(name), kundebokHere);
    return workspace_id;
  };
  return { settings, make, run, read, fill };
}

test.skipIf(!programs)(
  'a dump of a PostgreSQL of your own comes back in an empty database, by the commands of the documents',
  async () => {
    const { settings, make, run, read, fill } = await start();
    const workspace = await fill('one');
    const [dump, restore] = await scriptsOf('docs/operating.md');
    run(dump!, 'one');
    await make('two');
    run(restore!, 'two');
    const before = await read(workspace, 'one');
    expect(before.length).toBeGreaterThan(100);
    expect(await read(workspace, 'two')).toEqual(before);
    const checked = await kundebokHere(['doctor'], settings('two'));
    expect(checked.stdout).toMatch(/^ok +schema /m);
  },
);

test.skipIf(!programs)(
  'a dump comes back in place of what the database holds, by the commands for the embedded PostgreSQL',
  async () => {
    const { settings, run, read, fill } = await start();
    const workspace = await fill('one');
    const [dump, restore] = await scriptsOf('docs/embedded-postgres.md');
    run(dump!, 'one');
    const before = await read(workspace, 'one');
    await using client = await openClient(settings('one').DATABASE_URL);
    await client.query('delete from tasks');
    expect(await read(workspace, 'one')).not.toEqual(before);
    run(restore!, 'one');
    expect(await read(workspace, 'one')).toEqual(before);
  },
);
