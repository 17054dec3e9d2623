import { afterAll, expect, test } from 'vitest';
import { allStatements, canBePrepared } from './all-statements.ts';
import { openClient } from './database.ts';
import { createWorld } from './world.ts';

const world = await createWorld();
const client = await openClient(world.databaseUrl);
afterAll(() => client.end());

test('no statement that a running process has prepared fails once a migration has added columns', async () => {
  const statements = (await allStatements()).filter(canBePrepared);
  // One that does fail, to show that this test would notice.
  statements.push({ title: 'of all columns', text: 'select * from companies', parameters: [] });
  for (const [number, { text }] of statements.entries()) await client.query(`prepare s${number} as ${text}`);
  const tables = await world.query(
    "select relname from pg_class where relkind = 'r' and relnamespace = current_schema()::regnamespace",
  );
  for (const { relname } of tables) await client.query(`alter table ${relname} add column added text`);

  const failed: string[] = [];
  for (const [number, { title, text }] of statements.entries()) {
    const values = Array(parametersOf(text)).fill('null').join(', ');
    // The statement is planned and not run.
    const run = client.query(`explain execute s${number}${values && `(${values})`}`);
    await run.catch(({ message }: Error) => failed.push(`${title}: ${message}`));
  }
  expect(failed).toEqual(['of all columns: cached plan must not change result type']);
});

function parametersOf(text: string): number {
  return Math.max(0, ...text.matchAll(/\$(\d+)/g).map(([, number]) => Number(number)));
}
