import type { ClientBase, Pool } from 'pg';
import { RELEASED, type Migration } from './migrations.ts';

/** A row of `schema_migrations`; a release without checksums leaves them out. */
export type AppliedMigration = { version: number; name: string; checksum?: string | null };

/** How the schema of a database compares to this release. */
type SchemaState = {
  /** `denied`: there are no tables yet, and the role of the connection may not create any. */
  state: 'current' | 'behind' | 'ahead' | 'conflict' | 'denied';
  /** What was found, in words. */
  found: string;
  /** What to do unless the schema is current. */
  advice: string;
};

/** Since version 15, PostgreSQL lets only the owner of a database create tables in `public` unless told otherwise. */
const MAY_NOT_CREATE = `
  select format(
    'the role %1$I may not create tables in the schema %2$I: alter database %3$I owner to %1$I',
    current_user, current_schema(), current_database()) as advice
  where not has_schema_privilege(current_schema(), 'create')`;

/** The schema in the database is not one that this release can work with. */
export class UnfitSchema extends Error {
  override readonly name = 'UnfitSchema';

  constructor({ found, advice }: SchemaState) {
    super(`The database cannot be used: ${found}: ${advice}`);
  }
}

/** How the schema of a database compares to this release. */
export async function findSchemaState(
  client: Pool | ClientBase,
  migrations = RELEASED,
): Promise<SchemaState> {
  return (await judge(client, migrations)).schema;
}

/** The applied migrations with the state of the schema. */
export async function judge(client: Pool | ClientBase, migrations: readonly Migration[]) {
  const applied = await readApplied(client);
  const schema = judgeSchema(applied, migrations);
  if (applied.length > 0) return { applied, schema };
  const denied = await findDenial(client);
  return { applied, schema: denied ? { ...schema, state: 'denied' as const, ...denied } : schema };
}

/** What to do if the role of the connection may not create tables; undefined if it may. */
export async function findDenial(client: Pool | ClientBase): Promise<{ advice: string } | undefined> {
  return (await client.query<{ advice: string }>(MAY_NOT_CREATE)).rows[0];
}

/** Whether a table exists in the schema of the service, without a lock on it. */
export async function hasTable(client: Pool | ClientBase, name: string): Promise<boolean> {
  return (await client.query('select 1 where to_regclass($1) is not null', [name])).rowCount === 1;
}

/** The applied migrations in order of version. Selects all columns, because older tables have no checksum column. */
export async function readApplied(client: Pool | ClientBase): Promise<AppliedMigration[]> {
  if (!(await hasTable(client, 'schema_migrations'))) return [];
  return (await client.query<AppliedMigration>('select * from schema_migrations order by version')).rows;
}

/** How applied migrations compare to those of this release. */
export function judgeSchema(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[] = RELEASED,
): SchemaState {
  const version = applied.at(-1)?.version ?? 0;
  const known = migrations.at(-1)?.version ?? 0;
  const found = `schema version ${version}, this release knows ${known}`;
  if (version > known) {
    const advice = 'start the newer release, or restore a backup made before the upgrade';
    return { state: 'ahead', found, advice };
  }
  const conflict = findConflict(applied, migrations);
  if (conflict) return { state: 'conflict', ...conflict };
  const state = version === known ? 'current' : 'behind';
  return { state, found, advice: 'run kundebok migrate, or wait for a service that is starting' };
}

/** The applied migrations must be the first ones of this release, unchanged. */
function findConflict(applied: readonly AppliedMigration[], migrations: readonly Migration[]) {
  for (const [at, { version, name, checksum }] of applied.entries()) {
    const own = migrations[at]!;
    if (own.version < version) {
      return {
        found: `migration ${own.name} has a lower number than ${name}, which was applied already`,
        advice: 'give it the next free number',
      };
    }
    if (own.name !== name) {
      return {
        found: `migration ${name} was applied, and this release does not have it`,
        advice: 'start the release that has it',
      };
    }
    if (checksum && own.checksum !== checksum) {
      return {
        found: `migration ${name} was changed after it was applied`,
        advice: 'restore the file, and make the change in a new migration',
      };
    }
  }
  return undefined;
}
