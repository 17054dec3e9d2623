import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';
import { DatabaseError, escapeIdentifier } from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { CommandError } from '../cli/output.ts';
import type { Progress } from '../cli/progress.ts';
import { LOCKS } from '../db/locks.ts';
import { migrateWithin } from '../db/migrate.ts';
import { judgeSchema, readApplied } from '../db/schema-state.ts';
import { inLongTransaction, type Session } from '../db/session.ts';
import { isDistributed } from '../db/sharding/distribute.ts';
import { dropForLoad } from './dependents.ts';
import { openBackup, readTables, type BackupFile, type Manifest, type TableHead } from './file.ts';
import { copyTarget, isRestored, listSequences, listTables } from './tables.ts';

type RestoreOptions = {
  databaseUrl: string;
  /** As `checkBackup` returned it. */
  file: BackupFile;
  signal: AbortSignal;
  onProgress?: (progress: Progress) => void;
  onStep?: (step: 'indexing' | 'comparing' | 'migrating') => void;
};

type RestoreResult = {
  made_at: string;
  tables: number;
  rows: number;
  schema_version: number;
  /** Tables of the file that the schema of this service does not have. */
  left_out: string[];
};

/** A service that starts during the restore waits. Rows are read back in the order in which they were written. */
const PREPARE = `set local synchronize_seqscans = off; select pg_advisory_xact_lock(${LOCKS.migration})`;

/**
 * Fills an empty database from a backup and upgrades its schema to this release, in one transaction: a restore
 * that does not finish leaves the database empty.
 * @throws {CommandError} when the database is not empty, or the rows do not fit the schema
 */
export async function restoreBackup(options: RestoreOptions): Promise<RestoreResult> {
  const { databaseUrl, file, signal } = options;
  try {
    return await inLongTransaction(databaseUrl, signal, (client) => fill(client, options));
  } catch (cause) {
    if (signal.aborted) throw new CommandError('The restore was interrupted; nothing was changed', { cause });
    if (!isAboutContent(cause)) throw cause;
    const fault = `${file.path} cannot be restored, and nothing was changed: ${cause.message}`;
    throw new CommandError(fault, { cause });
  }
}

async function fill(
  client: Session,
  { file, signal, onProgress = () => {}, onStep = () => {} }: RestoreOptions,
): Promise<RestoreResult> {
  await client.query(PREPARE);
  await requireEmpty(client, file);
  await migrateWithin(client, file.header.migrations.at(-1)!.version);
  const restored = await load(client, file, { signal, onProgress, onStep });
  onStep('migrating');
  await migrateWithin(client);
  const tables = (await listTables(client)).map(({ table }) => escapeIdentifier(table));
  await client.query(`analyze ${tables.join(', ')}`);
  const schema = (await readApplied(client)).at(-1)!;
  return { made_at: file.header.made_at, ...restored, schema_version: schema.version };
}

/** SQLSTATE classes of rows that do not match the schema: data exceptions, violated constraints, names. */
function isAboutContent(cause: unknown): cause is DatabaseError {
  return cause instanceof DatabaseError && /^(22|23|42)/.test(cause.code ?? '');
}

/**
 * Reads a file to its end and compares it with its checksum.
 * @throws {CommandError} when it is damaged, or this release cannot restore it
 */
export async function checkBackup(
  path: string,
  { signal, onProgress = () => {} }: Pick<RestoreOptions, 'signal' | 'onProgress'>,
): Promise<BackupFile> {
  const onRead = (done: number, size: number) =>
    onProgress({ title: 'checking', done, size, count: Math.round(done / 1024 ** 2) });
  const file = await openBackup(path, { signal, onRead });
  const { state, found } = judgeSchema(file.header.migrations);
  if (state === 'ahead' || state === 'conflict') {
    throw new CommandError(
      `${path} was made by release ${file.header.release} and cannot be restored by this one (${found}): restore it with that release or a later one`,
    );
  }
  return file;
}

/** @throws {CommandError} */
async function requireEmpty(client: Session, { header }: BackupFile): Promise<void> {
  if (await isDistributed(client)) {
    throw new CommandError(
      'The tables of this database are distributed: restore into an empty database without distributed tables, then run kundebok distribute',
    );
  }
  const { rows } = await client.query<{ name: string }>(
    "select relname as name from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')",
  );
  const applied = await readApplied(client);
  const advice = 'restore into an empty database or another DATA_DIR';
  if (applied.length === 0 && rows.length > 0) {
    throw new CommandError(`The database is not empty: it has a table ${rows[0]!.name}; ${advice}`);
  }
  for (const { name } of applied.length === 0 ? [] : rows) {
    if (name === 'schema_migrations') continue;
    // No row can be added after this check.
    await client.query(`lock table ${escapeIdentifier(name)} in access exclusive mode`);
    const some = await client.query(`select from ${escapeIdentifier(name)} limit 1`);
    if (some.rowCount !== 0)
      throw new CommandError(`The database is not empty: table ${name} has rows; ${advice}`);
  }
  if ((applied.at(-1)?.version ?? 0) > header.migrations.at(-1)!.version) {
    throw new CommandError(
      `The schema of the database is newer than the backup: ${advice} without any tables`,
    );
  }
}

async function load(
  client: Session,
  file: BackupFile,
  { signal, onProgress, onStep }: Required<Omit<RestoreOptions, 'databaseUrl' | 'file'>>,
): Promise<Pick<RestoreResult, 'tables' | 'rows' | 'left_out'>> {
  const tables = (await listTables(client)).map(({ table }) => table);
  const known = new Set(tables.filter(isRestored));
  // Includes tables that stay empty, because their foreign keys refer to the others.
  const rebuild = await dropForLoad(client, tables);
  const loaded = new Map<string, TableHead & { rows: number }>();
  const left_out: string[] = [];
  let rows = 0;
  const manifest = await readTables(
    file,
    async ({ rows: content, ...head }) => {
      if (!known.has(head.table)) {
        left_out.push(head.table);
        for await (const _ of content);
        return;
      }
      // Rows that a migration inserted are also in the backup. Only a table that this transaction created or truncated
      // keeps rows in their order: in any other, short rows fill the free space of earlier pages.
      await client.query(`truncate ${escapeIdentifier(head.table)}`);
      const copy = client.query(copyFrom(`copy ${copyTarget(head)} from stdin`));
      await pipeline(content, copy, { signal });
      rows += copy.rowCount;
      loaded.set(head.table, { ...head, rows: copy.rowCount });
      onProgress({ title: 'restoring', done: rows, size: undefined, count: rows });
    },
    signal,
  );
  onStep('comparing');
  await compareRows(client, loaded, manifest);
  onStep('indexing');
  await rebuild();
  await moveSequences(client, loaded, manifest);
  return { tables: loaded.size, rows, left_out: left_out.filter(isRestored) };
}

/** Reads every table back and compares it with the checksum in the backup. */
async function compareRows(
  client: Session,
  loaded: ReadonlyMap<string, TableHead & { rows: number }>,
  { tables }: Manifest,
): Promise<void> {
  for (const { table, rows, sha256 } of tables) {
    const head = loaded.get(table);
    if (!head) continue;
    // A backup has binary values in the form that its database showed them in.
    const isSame =
      (await hashRows(client, head, 'hex')) === sha256 || (await hashRows(client, head, 'escape')) === sha256;
    if (isSame && head.rows === rows) continue;
    throw new CommandError(
      `Table ${table} differs from the backup (${head.rows} rows, ${rows} expected); nothing was changed`,
    );
  }
}

async function hashRows(client: Session, head: TableHead, binary: 'hex' | 'escape'): Promise<string> {
  await client.query(`set local bytea_output = ${binary}`);
  const hash = createHash('sha256');
  const copy = client.query(copyTo(`copy ${copyTarget(head)} to stdout`));
  for await (const chunk of copy as AsyncIterable<Buffer>) hash.update(chunk);
  return hash.digest('hex');
}

/** Moves sequences, so that issued numbers are not issued again. */
async function moveSequences(
  client: Session,
  loaded: ReadonlyMap<string, unknown>,
  manifest: Manifest,
): Promise<void> {
  for (const { table, column, sequence } of await listSequences(client, [...loaded.keys()])) {
    const { last = 0 } =
      manifest.sequences.find((entry) => entry.table === table && entry.column === column) ?? {};
    await client.query(
      `select setval($1::regclass, greatest($2::bigint, (select max(${escapeIdentifier(column)}) from ${escapeIdentifier(table)}), 1))`,
      [sequence, last],
    );
  }
}
