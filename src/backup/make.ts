import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { to as copyTo } from 'pg-copy-streams';
import type { ClientBase } from 'pg';
import { createFile } from '../cli/new-file.ts';
import { CommandError } from '../cli/output.ts';
import type { Progress } from '../cli/progress.ts';
import { hasTable, readApplied } from '../db/schema-state.ts';
import { inLongTransaction, withSession, type Session } from '../db/session.ts';
import { takeSnapshot, type RunStatement } from '../db/sharding/snapshot.ts';
import { isDistributed } from '../db/sharding/distribute.ts';
import { writeBackup, type Manifest, type TableContent } from './file.ts';
import { copyTarget, isRestored, listSequences, listTables, MIRROR, type Table } from './tables.ts';

type BackupOptions = {
  databaseUrl: string;
  /** Must not exist yet. */
  path: string;
  release: string;
  /** Whether to include the mirror of the national register. */
  withRegister?: boolean;
  signal: AbortSignal;
  /** How long the database may be silent: a dead connection must not prevent the next backup. */
  patienceMs?: number;
  onProgress?: (progress: Progress) => void;
};

type BackupResult = { tables: number; rows: number; schema_version: number; made_at: string };

const PATIENCE_MS = 10 * 60_000;

const NOW = `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as made_at,
  current_setting('server_version') as postgres`;

/**
 * Writes the content of the database at one moment into a file, while the service runs.
 * @throws {CommandError} when there is nothing to back up or the file cannot be written
 */
export async function makeBackup(options: BackupOptions): Promise<BackupResult> {
  const { databaseUrl, path, signal } = options;
  return createFile(path, (file) =>
    inLongTransaction(databaseUrl, signal, (client) => writeSnapshot(client, file, options)).catch(
      (cause: unknown) => {
        if (!signal.aborted) throw cause;
        throw new CommandError('The backup was interrupted; no file was created', { cause });
      },
    ),
  );
}

async function writeSnapshot(
  client: Session,
  file: FileHandle,
  options: BackupOptions,
): Promise<BackupResult> {
  const { databaseUrl, release, signal, withRegister, patienceMs = PATIENCE_MS, onProgress } = options;
  await withSession(databaseUrl, async (other) => {
    if (!(await hasTable(other, 'schema_migrations')))
      throw new CommandError('The database has no schema: there is nothing to back up');
    // An import of the register copies rows into a new table, where an earlier snapshot does not see them. The tables
    // are locked in the same order as by a migration.
    if (withRegister && (await hasTable(other, 'register_units')))
      await client.query('lock table schema_migrations, register_units in access share mode');
    if (!(await isDistributed(other))) return takeSnapshot(runOn(client));
    await other.query('begin');
    return takeSnapshot(runOn(client), runOn(other));
  });
  // A dead connection reports no error while rows are awaited from it.
  const stream = client.connection.stream as Socket;
  stream.setTimeout(patienceMs, () => stream.destroy());
  const migrations = await readApplied(client);
  const { made_at, postgres } = (await client.query<{ made_at: string; postgres: string }>(NOW)).rows[0]!;
  const tables = (await listTables(client)).filter(
    ({ table }) => isRestored(table) && (withRegister || !MIRROR.has(table)),
  );
  const tally = { rows: 0 };
  const applied = migrations.map(({ version, name, checksum }) => ({ version, name, checksum }));
  const head = { made_at, release, postgres, migrations: applied };
  await writeBackup(file, head, () => readTables(client, tables, tally, onProgress), signal);
  return { tables: tables.length, rows: tally.rows, schema_version: applied.at(-1)!.version, made_at };
}

function runOn(session: Session): RunStatement {
  return ({ text }) => session.query(text);
}

async function* readTables(
  client: ClientBase,
  tables: readonly Table[],
  tally: { rows: number },
  onProgress: BackupOptions['onProgress'],
): AsyncGenerator<TableContent, Manifest> {
  const written: Manifest['tables'] = [];
  // The estimate of a table that was never analysed is -1.
  const size = tables.reduce((sum, { estimate }) => sum + Math.max(estimate, 0), 0);
  for (const { estimate: _, ...head } of tables) {
    const hash = createHash('sha256');
    const copy = client.query(copyTo(`copy ${copyTarget(head)} to stdout`));
    let read = 0;
    const rows = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of copy as AsyncIterable<Buffer>) {
        hash.update(chunk);
        const lines = countLines(chunk);
        read += lines;
        const done = (tally.rows += lines);
        onProgress?.({ title: 'backing up', done, size: Math.max(size, done), count: done });
        yield chunk;
      }
    };
    yield { ...head, rows: rows() };
    written.push({ table: head.table, rows: read, sha256: hash.digest('hex') });
  }
  // Read last: sequences are outside the snapshot, and no row in it has a higher number.
  return { tables: written, sequences: await readSequences(client, tables) };
}

/** COPY writes a newline within a value as \n. */
function countLines(chunk: Buffer): number {
  let count = 0;
  for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) count += 1;
  return count;
}

async function readSequences(client: ClientBase, tables: readonly Table[]): Promise<Manifest['sequences']> {
  const sequences = await listSequences(
    client,
    tables.map(({ table }) => table),
  );
  const read: Manifest['sequences'] = [];
  for (const { table, column, sequence } of sequences) {
    const { rows } = await client.query<{ last: number }>(`select last_value as last from ${sequence}`);
    read.push({ table, column, last: rows[0]!.last });
  }
  return read;
}
