import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readAllRows } from '../../test/rows.ts';
import { endWithFile, ownDatabase } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import { makeBackup } from './make.ts';
import { checkBackup, restoreBackup } from './restore.ts';

endWithFile();
const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-under-writes-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();

/** @returns `before`, or undefined where the machine was too slow */
async function backUp(path: string, before: string[]): Promise<string[] | undefined> {
  try {
    await makeBackup({ databaseUrl: world.databaseUrl, path, release: '1', signal });
    return before;
  } catch (error) {
    if (!(error instanceof DatabaseUnavailable)) throw error;
    return undefined;
  }
}

test('a backup under writes holds one moment: each row with its entry, and all that was answered before', async () => {
  const workspace = await world.workspace();
  const answered: string[] = [];
  const written = new AbortController();
  const writers = Array.from({ length: 8 }, async () => {
    while (!written.signal.aborted) {
      const { id } = await workspace.contact();
      await workspace.client.post(`/contacts/${id}/points`, { type: 'mobile', value: '90000000' });
      answered.push(id);
    }
  });
  await expect.poll(() => answered.length, { interval: 5 }).toBeGreaterThan(20);
  const made: { path: string; before: string[] }[] = [];
  for (let round = 0; round < 3; round++) {
    const path = join(folder, `${round}.backup`);
    let before: string[] | undefined;
    // A backup is begun again where a slow machine does not connect within the time limit.
    while (before === undefined) before = await backUp(path, answered.slice());
    made.push({ path, before });
  }
  written.abort();
  await Promise.all(writers);
  for (const { path, before } of made) {
    const url = await ownDatabase({ empty: true });
    await restoreBackup({ databaseUrl: url, file: await checkBackup(path, { signal }), signal });
    const all = await readAllRows(url);
    const [contacts, points] = [all['contacts']!, all['contact_points']!].map((rows) =>
      rows.map((row) => JSON.parse(row) as { id: string; contact_id: string; point_count: number }),
    );
    expect(contacts!.map(({ id }) => id)).toEqual(expect.arrayContaining(before));
    expect(points!.map(({ contact_id }) => contact_id).toSorted()).toEqual(
      contacts!
        .filter(({ point_count }) => point_count === 1)
        .map(({ id }) => id)
        .toSorted(),
    );
    expect(all['changes']!.length).toBe(contacts!.length + points!.length);
  }
});
