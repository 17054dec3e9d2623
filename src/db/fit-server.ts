import type { ClientBase } from 'pg';

/** The oldest version that the service is tested with. */
const MIN_POSTGRES = 15;

/** The service cannot work with this PostgreSQL. */
export class UnfitServer extends Error {
  override readonly name = 'UnfitServer';
}

/** The version of the server, also behind a pooler, and what to do if the service cannot work with it or its database. */
export async function inspectServer(
  client: ClientBase,
): Promise<{ version: string; advice: string | undefined }> {
  const { rows } = await client.query<{ version: string; number: number; encoding: string; icu: boolean }>(
    `select current_setting('server_version') as version, current_setting('server_version_num')::int as number,
       current_setting('server_encoding') as encoding,
       exists (select from pg_collation where collname = 'nb-NO-x-icu') as icu`,
  );
  const { version, number, encoding, icu } = rows[0]!;
  return { version, advice: adviceFor(number, encoding, icu) };
}

/** Norwegian sort order and search without accents need ICU and UTF-8. */
function adviceFor(number: number, encoding: string, icu: boolean): string | undefined {
  if (number < MIN_POSTGRES * 10_000) return `use PostgreSQL ${MIN_POSTGRES} or later`;
  if (encoding !== 'UTF8') return `the encoding of the database is ${encoding}: use one in UTF8`;
  return icu ? undefined : 'it lacks the collations of ICU: use a PostgreSQL built with ICU';
}

/** @throws {UnfitServer} */
export async function requireFitServer(client: ClientBase): Promise<void> {
  const { version, advice } = await inspectServer(client);
  if (advice !== undefined) throw new UnfitServer(`The database server is PostgreSQL ${version}: ${advice}`);
}
