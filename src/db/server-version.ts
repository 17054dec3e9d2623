import type { ClientBase } from 'pg';

/** The oldest version that the service is tested with. */
const MIN_POSTGRES = 15;

/** The service cannot work with this PostgreSQL. */
export class UnfitServer extends Error {
  override readonly name = 'UnfitServer';
}

/** The version of the server, also behind a pooler, and what to do if it is too old. */
export async function findServerVersion(client: ClientBase) {
  const { rows } = await client.query<{ version: string; number: number }>(
    "select current_setting('server_version') as version, current_setting('server_version_num')::int as number",
  );
  const { version = '?', number = 0 } = rows[0] ?? {};
  const isSupported = number >= MIN_POSTGRES * 10_000;
  return { version, isSupported, advice: `use PostgreSQL ${MIN_POSTGRES} or later` };
}

/** @throws {UnfitServer} */
export async function requireServerVersion(client: ClientBase): Promise<void> {
  const { version, isSupported, advice } = await findServerVersion(client);
  if (!isSupported) throw new UnfitServer(`The database server is PostgreSQL ${version}: ${advice}`);
}
