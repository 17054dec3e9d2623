/** The database is out of reach or overloaded; a statement that was under way may or may not have been carried out. */
export class DatabaseUnavailable extends Error {
  override readonly name = 'DatabaseUnavailable';
}

/** SQLSTATE classes and codes that speak of the server's state, not of the statement. */
const STATES = [
  /^08/, // connection exception
  /^53/, // insufficient resources: disk full, too many connections
  /^57P0/, // shut down, crashed, starting up
  /^57014$/, // statement timeout
  /^55P03$/, // lock timeout
  /^40/, // deadlock, serialization failure
  /^25006$/, // read-only: a standby, or a failover under way
  /^25P03$/, // idle in transaction for too long
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

/** What `pg` says of a broken or silent connection without giving a code. */
const MESSAGES =
  /^(Connection terminated|timeout e(xceeded|xpired)|Query read timeout|Client (was closed|has encountered))/;

/** The connection broke; another one may well work. A timeout is none of these: it has cost its time already. */
const BROKEN = /^(57P01|57P02|08|ECONNRESET|EPIPE|Connection terminated)/;

/** Whether a statement failed because its connection broke, so that one which only reads may be sent again. */
export function isBroken(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return BROKEN.test('code' in error && typeof error.code === 'string' ? error.code : error.message);
}

/** Whether an error from `pg` means the database is out of reach, as opposed to a defect in a statement. */
export function isOutOfReach(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  return NETWORK.has(code) || STATES.some((state) => state.test(code)) || MESSAGES.test(error.message);
}
