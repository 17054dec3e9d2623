import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file of `migrations/`. */
export type Migration = { version: number; name: string; text: string; checksum: string };

/** This release's migrations, read once, so that files of another release put in place do not affect this process. */
export const RELEASED = readMigrations(join(import.meta.dirname, '../../migrations'));

/** The version of this release's schema. */
export const SCHEMA_VERSION = RELEASED.at(-1)!.version;

/** Every table that a migration of this release creates. */
export const OWN_TABLES = RELEASED.flatMap(({ text }) =>
  [...text.matchAll(/^create table (\w+)/gm)].map(([, name]) => name!),
);

/**
 * Reads the files `NNNN_name.sql` of a folder, in order. A checksum is that of the file with Unix line endings.
 * @throws when two have the same number
 */
export function readMigrations(folder: string): readonly Migration[] {
  const names = readdirSync(folder).filter((name) => /^\d{4}_.*\.sql$/.test(name));
  const migrations = names.toSorted().map((name) => {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
    const checksum = createHash('sha256').update(text).digest('hex');
    return { version: Number(name.slice(0, 4)), name, text, checksum };
  });
  for (const [at, { version, name }] of migrations.entries()) {
    const next = migrations[at + 1];
    if (next?.version === version)
      throw new Error(`migrations ${name} and ${next.name} have the same number`);
  }
  return migrations;
}
