import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer, Client } from '../client.ts';
import type { Workspace } from '../workspace.ts';
import { tally, type Notes } from './outcome.ts';

/** Writers that keep a journal of what was acknowledged, which is compared with the rows afterwards. */
type Journal = {
  /** Answers, with the time at which each came; status 0 means that the connection broke. */
  readonly answers: { status: number; at: number }[];
  acknowledged(): number;
  /** Points all writers to another service, the successor of one that was killed. */
  turnTo(client: Client): void;
  stop(): Promise<void>;
  /** Stops the writers, and notes what was lost, written twice or in part, or answered wrongly. */
  compare(stage: Database, notes: Notes, expected?: readonly number[]): Promise<void>;
};

// oxlint-disable-next-line typescript/no-explicit-any -- rows of any table
type Database = { query: (text: string, values?: unknown[]) => Promise<any[]> };

const PAUSE_AFTER_REFUSAL_MS = 20;

/**
 * All writes have an Idempotency-Key. Half are contacts with an id, each sent once; half are notes, each sent again
 * until it is acknowledged.
 */
export async function startJournal(first: Client, workspace: Workspace, writers = 8): Promise<Journal> {
  let client = first;
  const { orgnr } = await workspace.company();
  const over = new AbortController();
  const answers: Journal['answers'] = [];
  const contacts: string[] = [];
  const notes: string[] = [];
  let withoutRetryAfter = 0;

  async function send(path: string, body: object, key: string): Promise<number> {
    const headers = { 'content-type': 'application/json', 'idempotency-key': key };
    const { status = 0, headers: told } = await client
      .send({ method: 'POST', path, headers, body: JSON.stringify(body) })
      .catch((): Partial<Answer> => ({}));
    answers.push({ status, at: performance.now() });
    if (status === 503 && told?.['retry-after'] === undefined) withoutRetryAfter += 1;
    if (status !== 201) await sleep(PAUSE_AFTER_REFUSAL_MS);
    return status;
  }

  async function write(): Promise<void> {
    while (!over.signal.aborted) {
      const id = randomUUID();
      if ((await send('/contacts', { id, name: 'Kari Nordmann' }, id)) === 201) contacts.push(id);
      const text = randomUUID();
      while (!over.signal.aborted) {
        if ((await send(`/companies/${orgnr}/notes`, { text }, text)) !== 201) continue;
        notes.push(text);
        break;
      }
    }
  }

  const all = Promise.all(Array.from({ length: writers }, write));
  const stop = async () => {
    over.abort();
    await all;
  };
  return {
    answers,
    acknowledged: () => contacts.length + notes.length,
    turnTo: (next) => void (client = next),
    stop,
    async compare(stage, { note, demand }, expected = [201, 503]) {
      await stop();
      const stored = await readStored(stage, workspace.id);
      const lost = [...contacts, ...notes].filter((id) => !stored.has(id)).length;
      const doubled = [...stored.values()].filter((times) => times > 1).length;
      demand(contacts.length + notes.length > 0, 'acknowledged', contacts.length + notes.length);
      demand(lost === 0, 'lost', lost);
      demand(doubled === 0, 'doubled', doubled);
      const half = await countHalfWrites(stage, workspace.id);
      demand(half === 0, 'half writes', half);
      const statuses = answers.map(({ status }) => status);
      const other = statuses.filter((status) => !expected.includes(status));
      note('answers', tally(statuses));
      demand(other.length === 0, 'other statuses', tally(other));
      demand(withoutRetryAfter === 0, '503 without Retry-After', withoutRetryAfter);
    },
  };
}

/** How often each contact and each note is stored. */
async function readStored({ query }: Database, tenant: string): Promise<Map<string, number>> {
  const rows = await query(
    `select id::text as name from contacts where tenant_id = $1
     union all select content ->> 'text' from timeline_entries where tenant_id = $1 and type = 'add_comment'`,
    [tenant],
  );
  const stored = new Map<string, number>();
  for (const { name } of rows) stored.set(name, (stored.get(name) ?? 0) + 1);
  return stored;
}

/** Counts rows without their entry in the change log or their answer, and entries and kept answers without a row. */
async function countHalfWrites({ query }: Database, tenant: string): Promise<number> {
  const [row] = await query(
    `with written as (
       select id::text from contacts where tenant_id = $1
       union all select id::text from timeline_entries where tenant_id = $1 and type = 'add_comment'
     ), logged as (
       select resource_id as id from changes where tenant_id = $1 and resource in ('contact', 'note')
     ), remembered as (
       select idempotency_key as id from remembered_answers where tenant_id = $1
     ), named as (
       select id::text from contacts where tenant_id = $1
       union all select content ->> 'text' from timeline_entries where tenant_id = $1 and type = 'add_comment'
     )
     select (select count(*) from written full join logged using (id) where written.id is null or logged.id is null)
          + (select count(*) from remembered full join named using (id)
             where remembered.id is null or named.id is null) as n`,
    [tenant],
  );
  return Number(row.n);
}
