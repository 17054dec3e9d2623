import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { endWithFile, ownDatabase } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';
import { createFile } from '../cli/new-file.ts';
import { connect } from '../db/connect.ts';
import { importWorkspace } from './import.ts';
import { exportWorkspace } from './write.ts';

endWithFile();
const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-many-details-'));
afterAll(() => rm(folder, { recursive: true }));
const { signal } = new AbortController();
const open = (url: string) => connect({ url, connections: 2, onIdleError: () => {} });

const CONTACTS = 40;
const DETAILS = 900;

test('contacts with many details are imported by statements that stay short', async () => {
  const workspace = await world.workspace();
  const contact = await workspace.contact();
  await workspace.client.post(`/contacts/${contact.id}/points`, { type: 'mobile', value: '90000000' });
  const path = join(folder, 'export.jsonl');
  await using here = open(world.databaseUrl);
  await createFile(path, (file) => exportWorkspace(here, workspace.id, file, signal));
  const lines = (await readFile(path, 'utf8')).trimEnd().split('\n');
  const all = lines.map((line) => JSON.parse(line));
  const one = all.find(({ resource }) => resource === 'contact');
  const many = Array.from({ length: CONTACTS }, (_, at) => {
    const numbered = (_: unknown, n: number) => ({ ...one.data.points[0], id: 1 + at * DETAILS + n });
    const points = Array.from({ length: DETAILS }, numbered);
    return { ...one, data: { ...one.data, id: randomUUID(), points } };
  });
  const foot = all.at(-1);
  foot.counts.contact = CONTACTS;
  const whole = [...all.slice(0, -1).filter((line) => line !== one), ...many, foot];
  await writeFile(path, whole.map((line) => JSON.stringify(line)).join('\n'));

  await using there = open(await ownDatabase());
  const sent: number[] = [];
  const watched: typeof there = {
    ...there,
    transaction: (work) =>
      there.transaction((transaction) =>
        work({
          ...transaction,
          rows(statement, parameters) {
            if ('rows' in parameters) sent.push(JSON.parse(String(parameters.rows)).length);
            return transaction.rows(statement, parameters);
          },
        }),
      ),
  };
  const { added } = await importWorkspace(watched, path, { workspace: undefined, signal });
  expect(added.contact).toBe(CONTACTS);
  expect(Math.max(...sent)).toBeLessThan(6_000);
});
