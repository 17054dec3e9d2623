import { statSync } from 'node:fs';
import type { Command } from 'commander';
import { withUrl } from '../cli/database.ts';
import { CommandError, printResult, printText, UsageError } from '../cli/output.ts';
import { withProgress } from '../cli/progress.ts';
import { hasDatabaseUrl, RELEASE, settingsForCommands, type Config } from '../config.ts';
import { reasonOf } from '../db/unavailable.ts';
import { findReturned, readErased, type Erased, type ChangeLogFile } from './erased.ts';
import { makeBackup } from './make.ts';
import { checkBackup, restoreBackup } from './restore.ts';

/** `backup`, `restore` */
export function backupCommands(program: Command, config: () => Config): void {
  program
    .command('backup')
    .description('write the whole database into one file, while the service runs')
    .argument('<file>')
    .option('--with-register', 'include the mirror of the national register')
    .option('--json', 'print JSON')
    .action(async (path: string, options: { withRegister?: boolean; json?: boolean }) => {
      const { withRegister = false } = options;
      const result = await withUrl(config(), (databaseUrl) =>
        withProgress(options, 'rows', (progress) =>
          makeBackup({ databaseUrl, path, release: RELEASE, withRegister, ...progress }),
        ),
      );
      printResult({ ...result, bytes: statSync(path).size }, options);
    });
  program
    .command('restore')
    .description('fill an empty database or DATA_DIR from a backup, or only check the file')
    .argument('<file>')
    .option(
      '--erased-in <source>',
      "the replaced database, or a workspace's change log (once for each workspace): lists the erased people whom the restore brings back",
      (source, earlier: string[] | undefined): string[] => [...(earlier ?? []), source],
    )
    .option('--check', 'read the file, compare it with its checksum, and change nothing')
    .option('--json', 'print JSON')
    .action(async (path: string, options: RestoreFlags) => {
      if (options.check && options.erasedIn !== undefined) {
        throw new UsageError('--erased-in compares with what is restored: leave out --check');
      }
      const file = await withProgress(options, 'MiB', (progress) => checkBackup(path, progress));
      if (options.check) {
        const { made_at, release, migrations } = file.header;
        printResult({ whole: true, made_at, release, schema_version: migrations.at(-1)!.version }, options);
        return;
      }
      const known = options.erasedIn === undefined ? undefined : await readErased(options.erasedIn);
      const { failure, ...result } = await withUrl(
        config(),
        async (databaseUrl) => {
          const restored = await withProgress(options, 'rows', (progress) =>
            restoreBackup({ databaseUrl, file, ...progress }),
          );
          return { ...restored, ...(await compare(databaseUrl, known?.erased)) };
        },
        { mayBegin: true },
      );
      if (options.json) printResult(result, options);
      else {
        const { returned: _returned, left_out, ...shown } = result;
        printResult({ ...shown, ...(left_out.length > 0 && { left_out: left_out.join(', ') }) }, options);
        printText(adviceOn(result, known?.logs ?? [], config().register === 'national'));
      }
      if (failure) throw failure;
    });
}

/** The restored data stay, whatever becomes of the comparison. */
async function compare(
  databaseUrl: string,
  erased: readonly Erased[] | undefined,
): Promise<{ returned: Erased[] | null; failure?: CommandError }> {
  if (!erased) return { returned: null };
  try {
    return { returned: await findReturned(databaseUrl, erased) };
  } catch (cause) {
    const message = `The restore is complete, but the erased people could not be compared (${reasonOf(cause)}): restore the file into another empty database with the same --erased-in, which lists those whom it brings back`;
    return { returned: null, failure: new CommandError(message, { cause }) };
  }
}

type RestoreFlags = { check?: boolean; erasedIn?: string[]; json?: boolean };

/** Keys revoked, members removed, people erased and units removed by the register after the backup are back. */
function adviceOn(
  { made_at, returned }: { made_at: string; returned: Erased[] | null },
  logs: readonly ChangeLogFile[],
  followsRegister: boolean,
): string {
  const advice = [
    `\nEvery session has ended. Keys, members and passwords are those of ${made_at}: keys that were revoked after it work again, and people who were removed are members again.`,
  ];
  const returns = 'People who were erased after it are back, too';
  if (returned === null) advice.push(`${returns}: erase them again; --erased-in lists them.`);
  if (logs.length > 0) {
    advice.push(
      `${returns}. A change log lists only those of its workspace: give --erased-in one for each workspace.`,
    );
  }
  if (followsRegister) {
    advice.push(
      'Units that the register removed on legal grounds after it are back, too, until the mirror is up to date again: import the register unless the backup includes the mirror (kundebok register import --help), and start the service.',
    );
  }
  for (const { path, begins } of logs) {
    if (begins === undefined) advice.push(`${path} has no entries.`);
    else if (Temporal.Instant.compare(begins, made_at) > 0) {
      advice.push(`${path} begins at ${begins}: people who were erased before that are not in it.`);
    }
  }
  if (!returned?.length) return advice.join('\n');
  const command = [...settingsForCommands(), 'bin/kundebok contact erase --workspace'].join(' ');
  const commands = returned.map(
    ({ workspace_id, contact_id }) => `  ${command} ${workspace_id} ${contact_id}`,
  );
  const where = hasDatabaseUrl() ? ', with the same DATABASE_URL' : '';
  const task = `These people had been erased and are back. Erase them again${where}:`;
  return [...advice, task, ...commands].join('\n');
}
