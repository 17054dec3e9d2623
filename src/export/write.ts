import type { FileHandle } from 'node:fs/promises';
import { CommandError } from '../cli/output.ts';
import type { Database, Queryable } from '../db/connect.ts';
import { SCHEMA_VERSION } from '../db/migrations.ts';
import { findSharding } from '../db/sharding/tables.ts';
import { takeSnapshot, type RunStatement } from '../db/sharding/snapshot.ts';
import { tenantOfCommand, type Tenant } from '../db/tenant.ts';
import { requireWorkspace } from '../workspaces/store.ts';
import { FORMAT, LINE_KINDS, noCounts, VERSION, type Counts, type Head } from './lines.ts';
import { READERS } from './read.ts';

/** The most rows in memory at once. */
const PAGE = 500;

/** Writes one workspace as it is at one moment, a line of JSON for each row. @throws {CommandError} */
export async function exportWorkspace(
  db: Database,
  workspace: string,
  file: FileHandle,
  signal: AbortSignal,
): Promise<Counts> {
  const { is_sharded } = (await db.row(findSharding, {}))!;
  return db.transaction(async (transaction) => {
    if (is_sharded) await db.transaction((other) => takeSnapshot(runOn(transaction), runOn(other)));
    else await takeSnapshot(runOn(transaction));
    const head: Head = {
      format: FORMAT,
      version: VERSION,
      schema_version: SCHEMA_VERSION,
      workspace: await requireWorkspace(transaction, workspace),
      exported_at: Temporal.Now.instant().toString({ fractionalSecondDigits: 3 }),
    };
    await file.writeFile(lineOf(head));
    const counts = noCounts();
    await file.writeFile(linesOf(tenantOfCommand(transaction, workspace, 'export'), counts, signal));
    await file.writeFile(lineOf({ end: true, counts }));
    return counts;
  });
}

function runOn(transaction: Queryable): RunStatement {
  return (statement) => transaction.rows(statement, {});
}

async function* linesOf(tenant: Tenant, counts: Counts, signal: AbortSignal): AsyncGenerator<string> {
  for (const kind of LINE_KINDS) {
    const { data, page } = READERS[kind];
    let after: string | number | null = null;
    for (let more = true; more;) {
      if (signal.aborted) throw new CommandError('The export was interrupted; no file was created');
      const rows: { id: string | number }[] = await tenant.rows(page, { after, limit: PAGE });
      yield rows.map((row) => lineOf({ resource: kind, ...divide(row, data) })).join('');
      counts[kind] += rows.length;
      after = rows.at(-1)?.id ?? null;
      more = rows.length === PAGE;
    }
  }
}

/** The columns that the API shows, in its order, and the rest. */
function divide(row: Record<string, unknown>, shown: readonly string[]) {
  const data = Object.fromEntries(shown.map((name) => [name, row[name]]));
  const more = Object.fromEntries(Object.entries(row).filter(([name]) => !shown.includes(name)));
  return Object.keys(more).length > 0 ? { data, more } : { data };
}

/** The import of earlier releases also ends a line at U+2028 and U+2029, so these are escaped. */
function lineOf(value: unknown): string {
  const text = JSON.stringify(value).replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029');
  return `${text}\n`;
}
