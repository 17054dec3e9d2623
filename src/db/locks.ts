import type { ClientBase } from 'pg';

/** PostgreSQL advisory locks of this service. The numbers stay the same in all releases. */
export const LOCKS = {
  migration: 4_718_220_611,
  firstWorkspace: 4_718_220_612,
  /** One process at a time follows the feeds of the register. */
  sync: 4_718_220_613,
  /** One import of the register at a time. */
  import: 4_718_220_614,
  /** One process at a time removes old entries of the change log. */
  pruneChanges: 4_718_220_615,
  /** One process at a time makes the backup that is due. */
  backup: 4_718_220_616,
} as const;

/** Takes a lock until the transaction ends. @returns false, at once, while another has it */
export async function tryLock(client: ClientBase, lock: number): Promise<boolean> {
  const { rows } = await client.query<{ got: boolean }>('select pg_try_advisory_xact_lock($1) as got', [
    lock,
  ]);
  return rows[0]!.got;
}
