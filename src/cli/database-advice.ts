import { hasDatabaseUrl } from '../config.ts';
import { adviceOnRefusal, isRefusal } from '../db/unavailable.ts';

/** Advice by SQLSTATE, where the server answers, but cannot do what it is asked. */
const ADVICE: readonly (readonly [RegExp, string])[] = [
  [/^53100$/, 'free space on its disk'],
  [/^53300$/, 'end other connections, or raise its max_connections'],
  [/^5[38]/, 'see its log'],
  [/^(57014$|55P03$|40)/, 'try again when it is less busy'],
  [/^25P0[34]$/, 'raise that limit of the role, or set it to 0'],
  [/^25006$/, 'use a server that accepts writes'],
];

/** Describes a failure of the database to an operator. `what` is the rest of a sentence that begins with "The database". */
export function adviceOnFailure(error: unknown): { what: string; advice: string } {
  if (isRefusal(error)) return { what: 'refuses the connection', advice: adviceOnRefusal(error) };
  const code = codeOf(error);
  const found = ADVICE.find(([codes]) => codes.test(code));
  if (found) return { what: 'failed', advice: found[1] };
  const advice = hasDatabaseUrl()
    ? 'start it and check DATABASE_URL'
    : 'try again, and see the log of the service';
  return { what: 'is unavailable', advice };
}

/** The innermost code of an error. */
function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if (error.cause !== undefined) return codeOf(error.cause);
  return 'code' in error ? String(error.code) : '';
}
