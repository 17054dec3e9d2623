import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { sql } from 'kysely';
import { DatabaseError } from 'pg';
import { z } from 'zod';
import { CommandError } from '../cli/output.ts';
import type { Database, Queryable } from '../db/connect.ts';
import { SCHEMA_VERSION } from '../db/migrations.ts';
import { statement } from '../db/statement.ts';
import { changeWorkspace, requireWorkspace } from '../workspaces/store.ts';
import {
  foot,
  head,
  LINE_KINDS,
  line,
  noCounts,
  VERSION,
  type Counts,
  type Head,
  type Line,
} from './lines.ts';
import { LineImporter } from './importer.ts';

/** The most lines that one statement adds. */
const BATCH = 500;
/** A batch of contacts ends once they have this many details and company links: statements have a time limit. */
const MAX_PARTS = 5_000;

export type ImportResult = { workspace_id: string; added: Counts; unchanged: Counts };

/**
 * Adds the content of a file to a workspace, in one transaction. Ids are kept; existing rows are not changed, and
 * deleted ones are not restored, so that a second import changes nothing.
 * @param options.workspace the target; by default the workspace of the file, which is created if it does not exist
 * @throws {CommandError} naming the line that cannot be imported
 */
export function importWorkspace(
  db: Database,
  path: string,
  { workspace, signal }: { workspace: string | undefined; signal: AbortSignal },
): Promise<ImportResult> {
  return db
    .transaction(async (transaction) => {
      const lines = readLines(path, signal);
      const first = parse(head, (await lines.next()).value, 'is not an export of Kundebok');
      // A file of a newer release may have fields that this release does not know and would drop.
      if (first.version !== VERSION || (first.schema_version ?? 0) > SCHEMA_VERSION)
        throw new CommandError(`${path} was made by a newer release: import it with that one or a later one`);
      const workspace_id = await findOrCreate(transaction, first, workspace);
      const importer = new LineImporter(transaction, workspace_id);
      await addLines(lines, importer);
      return { workspace_id, added: importer.added, unchanged: importer.unchanged };
    })
    .catch((cause: unknown) => {
      if (signal.aborted)
        throw new CommandError('The import was interrupted; nothing was imported', { cause });
      throw cause instanceof Fault
        ? new CommandError(`${path} ${cause.message}; nothing was imported`, { cause })
        : cause;
    });
}

const footOrLine = z.union([foot, line]);

/** The file cannot be imported; the message is put after the file's name. */
class Fault extends Error {}

type Text = { number: number; text: string };

/** Lines end at a line feed alone: readline also ends them at U+2028 and U+2029, which JSON may contain. */
async function* readLines(path: string, signal: AbortSignal): AsyncGenerator<Text, undefined> {
  const input = createReadStream(path, { signal, encoding: 'utf8' });
  // A folder is opened without complaint; reading it fails.
  await once(input, 'readable').catch((cause: Error) => {
    throw new CommandError(`${path} cannot be read: ${cause.message}`, { cause });
  });
  let number = 0;
  let rest = '';
  for await (const chunk of input) {
    const texts = `${rest}${chunk}`.split('\n');
    rest = texts.pop()!;
    for (const text of texts) {
      number += 1;
      if (text.trim() !== '') yield { number, text };
    }
  }
  if (rest.trim() !== '') yield { number: number + 1, text: rest };
  return undefined;
}

function parse<T>(schema: z.ZodType<T>, read: Text | undefined, otherwise: string): T {
  try {
    return schema.parse(JSON.parse(read?.text ?? ''));
  } catch (cause) {
    throw new Fault(otherwise, { cause });
  }
}

const insertUnlessThere = statement(
  'insert workspace unless it is there',
  (p: { id: string; name: string }) => sql<{ id: string }>`
    insert into workspaces (id, name) values (${p.id}, ${p.name}) on conflict (id) do nothing returning id`,
);

async function findOrCreate(
  transaction: Queryable,
  { workspace }: Head,
  wanted: string | undefined,
): Promise<string> {
  if (wanted !== undefined) return (await requireWorkspace(transaction, wanted)).id;
  const { id, name, language = null, time_zone = null } = workspace;
  // Another import may be creating it.
  if (!(await transaction.row(insertUnlessThere, { id, name }))) return id;
  await transaction.row(changeWorkspace, { tenant: id, name, language, time_zone });
  return id;
}

async function addLines(lines: AsyncGenerator<Text, undefined>, importer: LineImporter): Promise<void> {
  const read = noCounts();
  let batch: Line[] = [];
  let parts = 0;
  let [from, to] = [0, 0];

  async function add(): Promise<void> {
    if (batch.length === 0) return;
    try {
      await importer.add(batch[0]!.resource, batch);
    } catch (cause) {
      if (!(cause instanceof DatabaseError) || !/^2[23]/.test(cause.code ?? '')) throw cause;
      throw new Fault(`cannot be imported, between lines ${from} and ${to}: ${cause.message}`, {
        cause,
      });
    }
    batch = [];
    parts = 0;
  }

  for await (const each of lines) {
    const next = parse(footOrLine, each, `is not an export of Kundebok at line ${each.number}`);
    if ('end' in next) {
      await add();
      const missing = LINE_KINDS.find((kind) => (next.counts[kind] ?? 0) !== read[kind]);
      if (missing !== undefined)
        throw new Fault(`does not have as many lines of ${missing} as its last line states: it was changed`);
      return;
    }
    const isFull = batch.length === BATCH || parts >= MAX_PARTS;
    if (isFull || (batch[0] && batch[0].resource !== next.resource)) await add();
    if (batch.length === 0) from = each.number;
    to = each.number;
    batch.push(next);
    parts += countParts(next);
    read[next.resource] += 1;
  }
  throw new Fault('is incomplete: its last line is missing');
}

/** The details and company links of a contact. */
function countParts({ data: { points, links } }: Line): number {
  return [points, links].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
}
