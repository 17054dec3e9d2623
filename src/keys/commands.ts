import type { Command } from 'commander';
import { z } from 'zod';
import { withDatabase } from '../cli/database.ts';
import { parseOptions } from '../cli/options.ts';
import { CommandError, printResult, printRows } from '../cli/output.ts';
import type { Config } from '../config.ts';
import type { Database } from '../db/connect.ts';
import { futureInstant, text, uuid } from '../http/fields.ts';
import { createKey } from './create.ts';
import { ALL_PERMISSIONS, maskOf, namesOf, PERMISSIONS, type PermissionName } from './permissions.ts';
import { findRevokedKey, listAllKeys, notifyOfKeys, revokeKey } from './store.ts';

const permissions = z.string().transform((list, context) => {
  if (list === 'all') return ALL_PERMISSIONS;
  const names = list.split(',').map((name) => name.trim());
  const unknown = names.filter((name) => !(PERMISSIONS as readonly string[]).includes(name));
  if (unknown.length === 0) return maskOf(names as PermissionName[]);
  context.addIssue(
    `has unknown permissions (${unknown.join(', ')}): give all, or some of ${PERMISSIONS.join(',')}`,
  );
  return z.NEVER;
});

/** `key create`, `key list`, `key revoke` */
export function keyCommands(program: Command, config: () => Config): void {
  const key = program.command('key').description('create, list and revoke API keys');
  key
    .command('create')
    .description('create an API key; it is shown only once')
    .requiredOption('--workspace <id>', 'see kundebok user list')
    .requiredOption(
      '--user <id>',
      'member who answers for it; notes are attributed to them: see kundebok user list',
    )
    .requiredOption('--permissions <list>', 'all, or a list such as companies:read,companies:write')
    .option('--name <name>', 'what it is for', '')
    .option('--expires-at <time>', 'ISO 8601 with Z or an offset')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const { workspace, user, expiresAt, ...named } = parseOptions(options, {
        workspace: uuid,
        user: uuid,
        permissions,
        name: text(255),
        expiresAt: futureInstant.optional(),
      });
      const created = await withDatabase(config(), (db) =>
        createKey(db, { ...named, tenant: workspace, user_id: user, expires_at: expiresAt ?? null }),
      );
      if (!created) {
        throw new CommandError(
          `User ${user} is not a member of workspace ${workspace}: see kundebok user list`,
        );
      }
      printResult(created, options);
    });
  key
    .command('list')
    .description('list the keys of every workspace, newest first')
    .option('--json', 'print JSON')
    .action(async (options) => {
      const keys = await withDatabase(config(), (db) => db.rows(listAllKeys, {}));
      printRows(
        options.json
          ? keys
          : keys.map((row) => ({ ...row, permissions: namesOf(row.permissions).join(',') || '-' })),
        options,
      );
    });
  key
    .command('revoke')
    .description('revoke a key for good, on every running process')
    .argument('<key-id>')
    .option('--json', 'print JSON')
    .action(async (id: string, options) => {
      const revoked = await withDatabase(config(), (db) => revoke(db, id));
      if (!revoked) throw new CommandError(`There is no key ${id}: see kundebok key list`);
      printResult(revoked, options);
    });
}

/** @returns undefined for a key that is unknown */
function revoke(db: Database, id: string) {
  return db.transaction(async (transaction) => {
    const revoked = await transaction.row(revokeKey, { id });
    if (revoked) await transaction.rows(notifyOfKeys, { tenant: revoked.tenant_id, ids: [id] });
    return transaction.row(findRevokedKey, { id });
  });
}
