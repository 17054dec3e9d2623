/** The embedded PostgreSQL cannot run; the message says what went wrong and what to do. */
export class EmbeddedPostgresError extends Error {
  override readonly name: string = 'EmbeddedPostgresError';
}

/** Another service, or a command, works on the same data folder. */
export class DataDirInUse extends EmbeddedPostgresError {
  override readonly name = 'DataDirInUse';
}

/** Whether `error` carries one of these codes, as system errors do. */
export function hasCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
