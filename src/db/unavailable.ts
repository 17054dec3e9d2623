import { DatabaseError } from 'pg';

/**
 * The database is unavailable (the cause says why) or too many requests wait for it (no cause). A statement in progress
 * may or may not have been executed.
 */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** Read-only: a standby, or a failover under way. */
const READ_ONLY = /^25006$/;

/** Wrong user or password, no such database, no permission to connect; and a pooler's messages for the same. */
const REFUSED = /^(28|3D000)/;
const POOLER_REFUSED =
  /^(unsupported startup parameter|no such (user|database)|permission denied for database)/;

/** SQLSTATE classes and codes about the server's state, not about the statement. */
const STATES = [
  /^08/, // connection exception
  REFUSED, // in an open session it comes from a pooler
  /^55000$/, // the database accepts no connections
  /^26000|^42P05/, // a pooler has lost a prepared statement
  /^53/, // insufficient resources: disk full, too many connections
  /^57P0/, // shut down, crashed, starting up
  /^57014$/, // statement timeout
  /^55P03$/, // lock timeout
  /^40/, // deadlock, serialization failure
  READ_ONLY,
  /^25P0[34]$/, // a transaction was idle for too long, or took too long
  /^58/, // the server's disk or files
];

const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EMFILE',
]);

/**
 * Messages of `pg` about broken or unresponsive connections, which have no code; and PostgreSQL's message about a disk
 * that is too full for a login, which has the code of a defect.
 */
const MESSAGES =
  /^(Connection terminated|timeout e(xceeded|xpired)|Query read timeout|Client (was closed|has encountered)|could not write init file)/;

/** Whether a statement failed on this constraint, whose name on a shard of Citus ends with the shard's number. */
export function violates(error: unknown, constraint: string): boolean {
  return error instanceof DatabaseError && error.constraint?.replace(/_\d+$/, '') === constraint;
}

/** Whether a statement failed on a foreign key: what a row refers to is gone, or a row to be deleted is referred to. */
export function breaksReference(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === '23503';
}

/** Lock timeout, deadlock. */
const LOCKED = /^(55P03|40P01)$/;

/** Whether a statement failed because another session has a lock that it needs. */
export function isLocked(error: unknown): boolean {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  return cause instanceof DatabaseError && LOCKED.test(String(cause.code));
}

/** The connection broke, and another one may work. Timeouts are not retried. */
const BROKEN = /^(57P01|57P02|08|ECONNRESET|EPIPE|Connection terminated(?! due to connection timeout))/;

/** Whether a statement failed because its connection broke; one that only reads may then be sent again. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return BROKEN.test('code' in error && typeof error.code === 'string' ? error.code : error.message);
}

/**
 * Whether a statement failed because the server did not answer, so that its connection is of no more use, or because
 * the server is read-only: a new connection finds the server that accepts writes.
 */
export function needsNewConnection(error: unknown): error is Error {
  const cause = error instanceof DatabaseUnavailable ? error.cause : error;
  return !(cause instanceof DatabaseError) || READ_ONLY.test(String(cause.code));
}

/**
 * Whether a connection failed for a reason that waiting does not fix: user, password, database name, certificate.
 */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error)) return true;
  if (error instanceof AggregateError) return error.errors.every(isRefusal);
  if (error.cause !== undefined) return isRefusal(error.cause);
  if (REFUSED.test('code' in error ? String(error.code) : '') || POOLER_REFUSED.test(error.message))
    return true;
  return !(error instanceof DatabaseUnavailable) && !isUnavailable(error);
}

/** Codes of Node and OpenSSL for a certificate that is not trusted. */
const UNTRUSTED = /^(UNABLE_TO_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_CA|ERR_TLS_CERT_)/;

/** What to do about a connection that is refused. */
export function adviceOnRefusal(error: unknown): string {
  if (error instanceof AggregateError) return adviceOnRefusal(error.errors[0]);
  if (error instanceof Error && error.cause !== undefined) return adviceOnRefusal(error.cause);
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'use a name of the certificate as host in DATABASE_URL';
  if (UNTRUSTED.test(code))
    return 'name the file of its certificate authority as sslrootcert in DATABASE_URL';
  if (message.endsWith(', no encryption')) return 'add sslmode=require to DATABASE_URL';
  if (message.startsWith('The server does not support SSL')) {
    return 'turn on TLS at the server, or set sslmode=disable in DATABASE_URL';
  }
  return 'check user, password and name in DATABASE_URL';
}

/** The innermost reason of an error, in one line. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if (error.cause !== undefined) return reasonOf(error.cause);
  if (error.message !== '') return error.message;
  return error instanceof AggregateError ? error.errors.map(reasonOf).join('; ') : error.name;
}

/** Whether an error of `pg` means that the database is unavailable, as opposed to a defect in a statement. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // The file of a Unix socket exists only while its server runs.
  if (code === 'ENOENT') return 'syscall' in error && error.syscall === 'connect';
  return NETWORK.has(code) || STATES.some((state) => state.test(code)) || MESSAGES.test(error.message);
}

/** Turns an error of `pg` into DatabaseUnavailable, unless it is a defect. */
export function toUnavailable(cause: unknown): unknown {
  if (cause instanceof DatabaseUnavailable) return cause;
  // PostgreSQL quotes the rejected row in these fields, and personal data must not be logged.
  if (cause instanceof DatabaseError) cause.detail = cause.where = undefined;
  return isUnavailable(cause) ? new DatabaseUnavailable('the database did not answer', { cause }) : cause;
}
