import { open, writeFile } from 'node:fs/promises';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { openClient } from '../../test/database.ts';
import { furnish, openExports } from '../../test/exports.ts';
import { endWithFile, kundebokJson } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';

const run = promisify(execFile);
endWithFile();
const world = await createWorld();
const { folder, exported, elsewhere } = await openExports(world);

test('what is written in the workspace while a file is imported into it has numbers of its own', async () => {
  // So that the file has higher numbers than the workspace into which it is imported.
  await world.query("select setval('timeline_entries_id_seq', 1000)");
  const source = await furnish(world);
  const { lines, rows } = await exported(source.id);
  const highest = Math.max(
    ...rows.filter(({ resource }) => resource === 'timeline_entry').map(({ data }) => data.id),
  );
  const other = await elsewhere();
  const settings = { DATABASE_URL: other.url };
  const names = '--name Ny --owner-email ny@example.no --owner-first-name A --owner-last-name B'.split(' ');
  const target = await kundebokJson(['workspace', 'create', ...names], settings);
  const client = await other.keyFor({
    ...source,
    id: target.workspace_id,
    owner: { ...source.owner, id: target.user_id },
  });
  const { orgnr } = (await client.post('/companies', { orgnr: '923609016' })).body.data;
  const pipe = join(folder, 'pipe');
  await run('mkfifo', [pipe]);
  const importing = other.imported(pipe, target.workspace_id);
  {
    await using writer = await open(pipe, 'w');
    // Once the first task is read, the timeline entries before it are stored.
    const stop = lines.findIndex((line) => line.includes('"resource":"task"')) + 1;
    await writer.writeFile(`${lines.slice(0, stop).join('\n')}\n`);
    await using watcher = await openClient(other.url);
    const last = async () =>
      Number(
        (await watcher.query("select pg_sequence_last_value('timeline_entries_id_seq') as last")).rows[0]
          .last,
      );
    await expect.poll(last).toBeGreaterThan(highest);
    const note = await client.post(`/companies/${orgnr}/notes`, { text: 'Ringte' });
    expect([note.status, note.body.data.id > highest]).toEqual([201, true]);
    await writer.writeFile(`${lines.slice(stop).join('\n')}\n`);
  }
  expect((await importing).added.timeline_entry).toBe(5);
  await other.end();
});

test('first owners without an address are not taken for one person', async () => {
  const path = join(folder, 'placeholder.jsonl');
  const workspaces = await Promise.all([furnish(world), furnish(world)]);
  const other = await elsewhere();
  const outcomes = [];
  for (const { id, owner } of workspaces) {
    const { lines } = await exported(id);
    await writeFile(path, `${lines.join('\n').replaceAll(owner.email, 'owner@localhost')}\n`);
    outcomes.push(await other.imported(path).then(({ added }) => added.user, String));
  }
  expect(outcomes).toEqual([
    2,
    expect.stringContaining('The first owner of the file has not given an address yet'),
  ]);
  // A first owner who was removed is imported: nobody can enter as this person.
  const [, { id, owner, addMember, removeMember }] = workspaces;
  await addMember({}, 'owner');
  await removeMember(owner);
  const { lines } = await exported(id);
  await writeFile(path, `${lines.join('\n').replaceAll(owner.email, 'owner@localhost')}\n`);
  expect((await other.imported(path)).added.user).toBe(3);
  // The import is refused into a workspace with another first owner, who would get this one's work.
  const [{ id: own }] = workspaces;
  await expect(other.imported(path, own)).rejects.toThrow('has not given an address yet');
  await other.end();
});
