import { createHash } from 'node:crypto';
import type { Socket } from 'node:net';
import { to as copyTo } from 'pg-copy-streams';
import type { ClientBase } from 'pg';
import { createFile } from '../cli/new-file.ts';
import { CommandError } from '../cli/output.ts';
import type { Progress } from '../cli/progress.ts';
import { readApplied } from '../db/migrate.ts';
import { connectionSettings, Session } from '../db/session.ts';
import { beginSnapshot } from './snapshot.ts';
import { writeBackup, type Manifest, type TableContent } from './file.ts';
import {
  copyTarget,
  isMirror,
  isRestored,
  listSequences,
  listTables,
  versionOf,
  type Table,
} from './tables.ts';

export type BackupOptions = {
  databaseUrl: string;
  /** Where to put it; nothing may be there. */
  path: string;
  release: string;
  /** Whether the mirror of the national register is part of it. */
  withRegister?: boolean;
  signal: AbortSignal;
  /** How long the database may be silent: a dead line must not keep the next backup from being made. */
  patienceMs?: number;
  onProgress?: (progress: Progress) => void;
};

export type BackupResult = { tables: number; rows: number; schema_version: number; made_at: string };

const PATIENCE_MS = 10 * 60_000;

const NOW = `select to_char(now() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as made_at,
  current_setting('server_version') as postgres`;

/**
 * Writes what the database holds at one moment into a file, while the service runs.
 * @throws {CommandError} when there is nothing to back up or the file cannot be written
 */
export async function makeBackup(options: BackupOptions): Promise<BackupResult> {
  const { path, release, signal, withRegister = false } = options;
  return createFile(path, async (file) => {
    const client = new Session({ ...connectionSettings(options.databaseUrl), query_timeout: 0 });
    await client.connect();
    // What waits for rows of a dead connection notices nothing else.
    const cut = () => void client.end().catch(() => {});
    signal.addEventListener('abort', cut);
    (client.connection.stream as Socket).setTimeout(options.patienceMs ?? PATIENCE_MS, cut);
    try {
      await beginSnapshot(client, options.databaseUrl);
      const migrations = await readApplied(client);
      if (migrations.length === 0)
        throw new CommandError('The database holds no schema: there is nothing to back up');
      const { made_at, postgres } = (await client.query<{ made_at: string; postgres: string }>(NOW)).rows[0]!;
      const tables = (await listTables(client)).filter(
        ({ table }) => isRestored(table) && (withRegister || !isMirror(table)),
      );
      const tally = { rows: 0 };
      const applied = migrations.map(({ version, name, checksum }) => ({ version, name, checksum }));
      const head = { made_at, release, postgres, migrations: applied };
      const content = () => readTables(client, tables, tally, options.onProgress ?? (() => {}));
      await writeBackup(file, head, content, signal);
      return { tables: tables.length, rows: tally.rows, schema_version: versionOf(applied), made_at };
    } catch (cause) {
      throw signal.aborted
        ? new CommandError('The backup was interrupted; there is no file', { cause })
        : cause;
    } finally {
      signal.removeEventListener('abort', cut);
      await client.end().catch(() => {});
    }
  });
}

async function* readTables(
  client: ClientBase,
  tables: readonly Table[],
  tally: { rows: number },
  onProgress: (progress: Progress) => void,
): AsyncGenerator<TableContent, Manifest> {
  const held: Manifest['tables'] = [];
  // Of tables that were never analysed the estimate is -1.
  const size = tables.reduce((sum, { estimate }) => sum + Math.max(estimate, 0), 0);
  let done = 0;
  for (const { estimate: _, ...head } of tables) {
    const hash = createHash('sha256');
    const copy = client.query(copyTo(`copy ${copyTarget(head)} to stdout`));
    let read = 0;
    const rows = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of copy as AsyncIterable<Buffer>) {
        hash.update(chunk);
        const lines = countLines(chunk);
        read += lines;
        done += lines;
        onProgress({ title: 'backing up', done, size: Math.max(size, done), count: done });
        yield chunk;
      }
    };
    yield { ...head, rows: rows() };
    held.push({ table: head.table, rows: read, sha256: hash.digest('hex') });
  }
  tally.rows = done;
  // Read last: sequences are outside the snapshot, and no row of it has a higher number.
  return { tables: held, sequences: await readSequences(client, tables) };
}

/** A newline within a value is written as \n. */
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
