import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, inject, test } from 'vitest';
import { runSql } from '../../test/database.ts';
import { readAllRows } from '../../test/rows.ts';
import { endWithFile, ownDatabase } from '../../test/service.ts';
import { createWorld } from '../../test/world.ts';
import { makeBackup } from './make.ts';
import { checkBackup, restoreBackup } from './restore.ts';

endWithFile();
const world = await createWorld();
const folder = await mkdtemp(join(tmpdir(), 'kundebok-refused-'));
afterAll(() => rm(folder, { recursive: true }));

const { signal } = new AbortController();
const path = join(folder, 'whole.backup');
const service = await world.start();
const workspace = await world.workspace(service);
await workspace.offer();
// The use of the key is written as the service ends; from here on, rows stay as they are.
await service.end();
await makeBackup({ databaseUrl: world.databaseUrl, path, release: '1', signal });
const whole = await readFile(path);
const contentAt = whole.indexOf('\n') + 1;

const restore = async (path: string, databaseUrl: string) =>
  restoreBackup({ databaseUrl, file: await checkBackup(path, { signal }), signal });

/** A file with another header and content, and the checksum that belongs to them. */
async function forge(header: string, content: Buffer): Promise<string> {
  const forged = join(folder, 'forged.backup');
  const bytes = Buffer.concat([Buffer.from(header), content]);
  await writeFile(
    forged,
    Buffer.concat([bytes, Buffer.from(createHash('sha256').update(bytes).digest('hex'))]),
  );
  return forged;
}

test('a file with any bit flipped, or cut anywhere, is refused, and the database stays empty', async () => {
  const url = await ownDatabase({ empty: true });
  const places = Array.from({ length: 24 }, (_, at) => Math.floor((at / 24) * whole.length));
  const file = join(folder, 'damaged.backup');
  for (const place of [...places, contentAt, whole.length - 64, whole.length - 1]) {
    const bytes = Buffer.from(whole);
    bytes[place]! ^= 1 << (place % 8);
    await writeFile(file, bytes);
    await expect(restore(file, url), `bit at ${place}`).rejects.toThrow(/damaged|newer release|not a backup/);
    await truncate(file, place);
    await expect(restore(file, url), `cut at ${place}`).rejects.toThrow(/damaged|not a backup/);
  }
  await writeFile(file, Buffer.concat([whole, Buffer.from('x')]));
  await expect(restore(file, url)).rejects.toThrow('damaged');
  expect(await readAllRows(url)).toEqual({});
});

test('a database that holds anything is refused; one with the schema and no row is not', async () => {
  const held = await readAllRows(world.databaseUrl);
  // Distributed tables are refused whether they hold rows or not.
  const reason = inject('postgres').isCitus ? 'are distributed' : /is not empty: table \w+ has rows/;
  await expect(restore(path, world.databaseUrl)).rejects.toThrow(reason);
  expect(await readAllRows(world.databaseUrl)).toEqual(held);
  const other = await ownDatabase({ empty: true });
  await runSql(other, 'create table invoices (id integer)');
  await expect(restore(path, other)).rejects.toThrow('it has a table invoices');
  expect(await restore(path, await ownDatabase())).toMatchObject({ left_out: [] });
});

test('a file of a newer release, or of another schema, is refused', async () => {
  const header = JSON.parse(whole.subarray(0, contentAt).toString());
  const url = await ownDatabase({ empty: true });
  const forged = (changed: object) =>
    forge(`${JSON.stringify({ ...header, ...changed })}\n`, whole.subarray(contentAt, -64));
  const later = [...header.migrations, { version: 9999, name: '9999_later.sql', checksum: 'x' }];
  await expect(restore(await forged({ migrations: later, release: '7' }), url)).rejects.toThrow(
    /was made by release 7 and cannot be restored by this one \(schema version 9999/,
  );
  const [first, ...rest] = header.migrations;
  const other = [{ ...first, checksum: 'x' }, ...rest];
  await expect(restore(await forged({ migrations: other }), url)).rejects.toThrow(
    /was changed after it was applied/,
  );
  await expect(restore(await forged({ version: 2 }), url)).rejects.toThrow('was made by a newer release');
  // The rows are not those of this schema.
  const older = header.migrations.slice(0, 5);
  await expect(restore(await forged({ migrations: older }), url)).rejects.toThrow(
    /cannot be restored, and nothing was changed: column .* does not exist/,
  );
  expect(await readAllRows(url)).toEqual({});
});
