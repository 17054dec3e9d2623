import { expect, test } from 'vitest';
import { openClient } from '../../test/database.ts';
import { endWithFile, ownDatabase } from '../../test/service.ts';
import { migrate } from './migrate.ts';

endWithFile();

const CITIES = 'create table cities (name text);\ncreate index cities_by_name on cities (name);';

function migrationsOf(...texts: string[]) {
  return texts.map((text, at) => ({
    version: at + 1,
    name: `000${at + 1}_cities.sql`,
    text,
    checksum: text,
  }));
}

test.for(['alter table cities add column size integer;', 'drop index cities_by_name;'])(
  'a migration says which session keeps it from a table, and lets others read the table meanwhile: %s',
  async (text) => {
    const url = await ownDatabase({ empty: true });
    await migrate(url, migrationsOf(CITIES));
    await using holder = await openClient(url);
    await holder.query("set application_name = 'report'; begin");
    await holder.query('select from cities');
    const said: string[] = [];
    const waits = Promise.withResolvers<string>();
    const onUpgrade = (name: string) => void said.push(name);
    const done = migrate(url, migrationsOf(CITIES, text), { onUpgrade, onWait: waits.resolve });
    expect(await Promise.race([waits.promise, done])).toMatch(/^report \(pid \d+\)$/);
    await using reader = await openClient(url);
    await reader.query('select from cities');
    expect(said).toEqual([]);
    await holder.query('commit');
    expect(await done).toEqual(['0002_cities.sql']);
    expect(said).toEqual(['0002_cities.sql']);
  },
);
