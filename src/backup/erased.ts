import { readFile } from 'node:fs/promises';
import type { QueryResultRow } from 'pg';
import { z } from 'zod';
import { CommandError } from '../cli/output.ts';
import { inLongTransaction } from '../db/session.ts';
import { reasonOf } from '../db/unavailable.ts';

/** A person who was erased. A change log does not name its workspace. */
export type Erased = { workspace_id: string | null; contact_id: string };

/** A contact whose row has no person any more: they were erased, or became part of another contact. */
type Gone = Erased & { merged_into: string | null };

/** A change log, and the time of its first entry. It tells of one workspace only, and of nobody erased earlier. */
export type ChangeLogFile = { path: string; begins: string | undefined };

/** What `kundebok changes --json` prints. */
const changeLog = z.array(
  z.object({
    at: z.iso.datetime({ offset: true }),
    resource: z.string(),
    resource_id: z.string(),
    action: z.string(),
    values: z.object({ merged_into: z.array(z.string().nullable()).optional() }),
  }),
);
type ChangeLog = z.infer<typeof changeLog>;

/**
 * The people who were erased, according to other databases or change logs. A contact that was merged counts as erased
 * only if the contact that it became part of was erased.
 * @param sources each a postgres:// address, or a file with the output of `kundebok changes --json`
 * @throws {CommandError}
 */
export async function readErased(
  sources: readonly string[],
): Promise<{ erased: Erased[]; logs: ChangeLogFile[] }> {
  const erased: Erased[][] = [];
  const logs: ChangeLogFile[] = [];
  for (const source of sources) {
    if (/^postgres(ql)?:/.test(source)) {
      erased.push(onlyErased(await readDatabase(source)));
      continue;
    }
    const entries = await readChangeLog(source);
    erased.push(onlyErased(goneIn(entries)));
    logs.push({ path: source, begins: entries[0]?.at });
  }
  return { erased: erased.flat(), logs };
}

function onlyErased(gone: readonly Gone[]): Gone[] {
  const byId = new Map(gone.map((each) => [`${each.workspace_id} ${each.contact_id}`, each]));
  const isErased = ({ workspace_id, merged_into }: Gone): boolean => {
    if (merged_into === null) return true;
    const into = byId.get(`${workspace_id} ${merged_into}`);
    return into !== undefined && isErased(into);
  };
  return gone.filter(isErased);
}

/** As JSON, because an older release has no column `merged_into`. */
const GONE = `
  select tenant_id as workspace_id, id as contact_id, to_jsonb(contacts) ->> 'merged_into' as merged_into
  from contacts where erased_at is not null`;

function readDatabase(url: string): Promise<Gone[]> {
  return query<Gone>(url, GONE, []).catch((cause: unknown) => {
    throw new CommandError(`The database of --erased-in cannot be read: ${reasonOf(cause)}`, { cause });
  });
}

async function readChangeLog(path: string): Promise<ChangeLog> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  });
  try {
    return changeLog.parse(JSON.parse(text));
  } catch (cause) {
    throw new CommandError(`${path} is not the output of kundebok changes --json`, { cause });
  }
}

function goneIn(entries: ChangeLog): Gone[] {
  return entries.flatMap(({ resource, resource_id, action, values }) => {
    const merged_into = values.merged_into?.at(-1) ?? null;
    const isGone = resource === 'contact' && (action === 'erased' || merged_into !== null);
    return isGone ? { workspace_id: null, contact_id: resource_id, merged_into } : [];
  });
}

const PRESENT = `
  select distinct contacts.tenant_id as workspace_id, contacts.id as contact_id
  from contacts join unnest($1::uuid[], $2::uuid[]) as erased (workspace_id, contact_id)
    on contacts.id = erased.contact_id and contacts.tenant_id = coalesce(erased.workspace_id, contacts.tenant_id)
  where contacts.erased_at is null order by 1, 2`;

/**
 * The erased people who are in a restored database again.
 * @throws when the database cannot be read
 */
export function findReturned(url: string, erased: readonly Erased[]): Promise<Erased[]> {
  const workspaces = erased.map(({ workspace_id }) => workspace_id);
  const contacts = erased.map(({ contact_id }) => contact_id);
  return query<Erased>(url, PRESENT, [workspaces, contacts]);
}

function query<Row extends QueryResultRow>(url: string, text: string, values: unknown[]): Promise<Row[]> {
  return inLongTransaction(url, undefined, async (session) => (await session.query<Row>(text, values)).rows);
}
