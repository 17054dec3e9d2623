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

/** Who has access, which files were imported, remembered answers, counters. */
const NOT_COUNTED =
  'memberships,sessions,welcome_links,api_keys,imports,remembered_answers,key_use,change_counters';

/** Rows of the workspace in all tables of its data but those of words, the change log included. */
export async function countRows(world: World, workspace: Workspace): Promise<number> {
  const tables = await world.query(
    `select table_name::text as table from information_schema.columns
     where table_schema = 'public' and column_name = 'tenant_id'
       and table_name not like '%_words' and table_name <> all ($1)`,
    [`{${NOT_COUNTED}}`],
  );
  const counts = tables.map(({ table }) => `(select count(*) from ${table} where tenant_id = $1)`);
  return (await world.query(`select (${counts.join(' + ')})::int as n`, [workspace.id]))[0].n;
}

export const countAnswers = async (world: World, workspace: Workspace): Promise<number> =>
  (
    await world.query('select count(*)::int as n from remembered_answers where tenant_id = $1', [
      workspace.id,
    ])
  )[0].n;
