import { access, constants } from 'node:fs/promises';
import type { ClientBase } from 'pg';
import type { Finding } from '../cli/findings.ts';
import type { BackupSettings } from '../config.ts';
import { findBackupState, type BackupState } from './state.ts';

const HOUR_SECONDS = 3_600;

/** The state of scheduled backups, for the operator. */
export async function inspectBackups(client: ClientBase, settings: BackupSettings): Promise<Finding> {
  const check = 'backup';
  const { folder } = settings;
  const isWritable = await access(folder, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (!isWritable) {
    const advice = 'make the folder and let the service write to it, or set BACKUP_FOLDER to another';
    return { check, ok: false, found: `${folder} cannot be written`, advice };
  }
  const [state] = (await client.query<BackupState>(findBackupState.text)).rows;
  if (!state) {
    const warning = 'none yet: the service makes one soon after its start';
    return { check, ok: true, found: warning, warning };
  }
  return {
    check,
    ok: !state.is_failing && !isLate(state, settings),
    found: [
      state.made_at === null ? 'none' : `${state.file}, ${shownAge(state.age ?? 0)} old`,
      ...(state.is_failing ? [`failed at ${state.failed_at}: ${state.error}`] : []),
    ].join('; '),
    advice: state.is_failing
      ? 'remove the cause; the service tries again every quarter of an hour'
      : 'start the service, which makes a backup that is due',
  };
}

/** A backup that is late by half an interval counts as missed. */
function isLate({ age }: BackupState, { everyMs }: BackupSettings): boolean {
  return age !== null && age * 1_000 > everyMs * 1.5;
}

function shownAge(seconds: number): string {
  return seconds < HOUR_SECONDS
    ? `${Math.round(seconds / 60)} min`
    : `${Math.round(seconds / HOUR_SECONDS)} h`;
}
