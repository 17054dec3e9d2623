/** Another service, or a command, works on the same data folder. */
export class DataDirInUse extends Error {
  override readonly name = 'DataDirInUse';

  constructor(dataDir: string, pid: number | undefined) {
    const holder = pid === undefined ? 'another process' : `the process with pid ${pid}`;
    super(`${dataDir} is in use by ${holder}: stop that one first, or give this one a DATA_DIR of its own`);
  }
}

/** The embedded PostgreSQL cannot run; the message says what went wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name = 'EmbeddedPostgresError';
}

/** The message of anything that was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Whether `error` carries one of these codes, as system errors do. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
