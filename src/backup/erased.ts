import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { CommandError } from '../cli/output.ts';
import { withSession } from '../db/session.ts';
import { reasonOf } from '../db/unavailable.ts';

/** A person who was erased. A change log does not name its workspace. */
export type Erased = { workspace_id: string | null; contact_id: string };

/** What `kundebok changes --json` prints. */
const changeLog = z.array(z.object({ resource: z.string(), resource_id: z.string(), action: z.string() }));

/**
 * The people who were erased, according to another database or its change log.
 * @param source a postgres:// address, or a file with the output of `kundebok changes --json`
 * @throws {CommandError}
 */
export function readErased(source: string): Promise<Erased[]> {
  return /^postgres(ql)?:/.test(source) ? readDatabase(source) : readChangeLog(source);
}

function readDatabase(url: string): Promise<Erased[]> {
  const erased =
    'select tenant_id as workspace_id, id as contact_id from contacts where erased_at is not null order by 1, 2';
  return query(url, erased, []).catch((cause: unknown) => {
    throw new CommandError(`The database of --erased-in cannot be read: ${reasonOf(cause)}`, { cause });
  });
}

async function readChangeLog(path: string): Promise<Erased[]> {
  const text = await readFile(path, 'utf8').catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  });
  try {
    return changeLog
      .parse(JSON.parse(text))
      .filter(({ resource, action }) => resource === 'contact' && action === 'erased')
      .map(({ resource_id }) => ({ workspace_id: null, contact_id: resource_id }));
  } catch (cause) {
    throw new CommandError(`${path} is not the output of kundebok changes --json`, { cause });
  }
}

const PRESENT = `
  select contacts.tenant_id as workspace_id, contacts.id as contact_id
  from contacts join unnest($1::uuid[], $2::uuid[]) as erased (workspace_id, contact_id)
    on contacts.id = erased.contact_id and contacts.tenant_id = coalesce(erased.workspace_id, contacts.tenant_id)
  where contacts.erased_at is null order by 1, 2`;

/** The erased people who are in a restored database again. */
export function findReturned(url: string, erased: readonly Erased[]): Promise<Erased[]> {
  const workspaces = erased.map(({ workspace_id }) => workspace_id);
  const contacts = erased.map(({ contact_id }) => contact_id);
  return query(url, PRESENT, [workspaces, contacts]);
}

function query(url: string, text: string, values: unknown[]): Promise<Erased[]> {
  return withSession(url, async (session) => (await session.query<Erased>(text, values)).rows);
}
