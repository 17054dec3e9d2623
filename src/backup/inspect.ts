import { access, constants, readdir, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ClientBase } from 'pg';
import type { Finding } from '../cli/findings.ts';
import type { BackupSettings } from '../config.ts';
import { BACKUP_NAME } from './schedule.ts';
import { findBackupState, type BackupState } from './state.ts';

const HOUR_SECONDS = 3_600;

const check = 'backup';

/**
 * The state of scheduled backups, for the operator.
 * @param dataFolder of the embedded PostgreSQL
 */
export async function inspectBackups(
  client: ClientBase,
  settings: BackupSettings,
  dataFolder: string | undefined,
): Promise<Finding> {
  const { folder } = settings;
  const [fault] = await inspectFolder(settings);
  if (fault) return fault;
  const [state] = (await client.query<BackupState>(findBackupState.text)).rows;
  if (!state) {
    const warning = 'none yet: the service makes one soon after its start';
    return { check, ok: true, found: warning, warning };
  }
  const foreign = await findForeign(folder, state);
  if (foreign !== undefined) {
    const found = `${folder} holds ${foreign}, newer than this database's last backup: either it is another database's, and each removes the other's backups, or the clock was set back`;
    const advice =
      'set BACKUP_FOLDER to another folder for each database; files from when the clock was ahead can be moved away';
    return { check, ok: false, found, advice };
  }
  // Late by half an interval.
  const isMissed = state.age !== null && state.age * 1_000 > settings.everyMs * 1.5;
  const isBeside = dataFolder !== undefined && (await stat(folder)).dev === (await stat(dataFolder)).dev;
  const warning = `${folder} is on the same disk as the data, and would be lost with it: copy backups to another machine`;
  return {
    check,
    ok: !state.is_failing && !isMissed,
    ...(isBeside && { warning }),
    found: [
      state.made_at === null ? 'none' : `${state.file}, ${shownAge(Math.max(0, state.age ?? 0))} old`,
      ...(state.is_failing ? [`failed at ${state.failed_at}: ${state.error}`] : []),
    ].join('; '),
    advice: state.is_failing
      ? 'fix the cause; the service tries again every quarter of an hour'
      : 'start the service, which makes a backup that is due',
  };
}

/** What is wrong with the folder, whether there is a database or not. */
export async function inspectFolder({ folder }: Pick<BackupSettings, 'folder'>): Promise<Finding[]> {
  try {
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return [];
  } catch {
    const advice =
      'create the folder and let the service write to it and read it, or set BACKUP_FOLDER to another';
    return [{ check, ok: false, found: `${folder} cannot be used`, advice }];
  }
}

/** A backup in the folder that is newer than the newest one that this database has recorded. */
async function findForeign(folder: string, { file }: BackupState): Promise<string | undefined> {
  if (file === null) return undefined;
  const names = await readdir(folder);
  return names.find((name) => BACKUP_NAME.test(name) && name > basename(file));
}

function shownAge(seconds: number): string {
  return seconds < HOUR_SECONDS
    ? `${Math.round(seconds / 60)} min`
    : `${Math.round(seconds / HOUR_SECONDS)} h`;
}
