import type { Sample } from './ask.ts';
import type { Answer, Client } from './client.ts';
import type { World, Workspace } from './world.ts';

/** A request that may be repeated; `text` is another form of its body. */
export function sendWithKey(
  client: Client,
  { method, path, body }: Sample,
  key: string,
  text = JSON.stringify(body),
): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'idempotency-key': key };
  return client.send({ method, path, headers, body: text });
}

export const isReplay = ({ headers }: Answer) => headers['idempotency-replayed'] === 'true';

/** Rows of the workspace in all tables that requests write to, the change log included. */
export async function countRows(world: World, workspace: Workspace): Promise<number> {
  const counts = [
    'companies',
    'timeline_entries',
    'contacts',
    'contact_points',
    'contact_companies',
    'tasks',
    'offers',
    'changes',
  ]
    .map((table) => `(select count(*) from ${table} where tenant_id = $1)`)
    .join(' + ');
  return (await world.query(`select (${counts})::int as n`, [workspace.id]))[0].n;
}

export const countAnswers = async (world: World, workspace: Workspace): Promise<number> =>
  (
    await world.query('select count(*)::int as n from remembered_answers where tenant_id = $1', [
      workspace.id,
    ])
  )[0].n;
