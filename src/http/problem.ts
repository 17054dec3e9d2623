/** One offending field of a request; `field` is the bare name. */
export type Detail = { field: string; message: string };

/** The body of every answer that is not a success (contract, "Errors"). */
export type ProblemBody = { error: string; code: ProblemCode; details?: readonly Detail[] };

/** Every `code` an answer can carry, and the status it goes with. */
export const PROBLEMS = {
  malformed_json: 400,
  invalid_request: 400,
  invalid_reference: 400,
  malformed_request: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  request_in_progress: 409,
  id_already_used: 409,
  company_deleted: 409,
  status_conflict: 409,
  limit_reached: 409,
  cursor_expired: 410,
  erased: 410,
  precondition_failed: 412,
  payload_too_large: 413,
  uri_too_long: 414,
  unsupported_media_type: 415,
  idempotency_key_reused: 422,
  not_in_register: 422,
  rate_limited: 429,
  headers_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  temporarily_unavailable: 503,
  register_unavailable: 503,
} as const;

export type ProblemCode = keyof typeof PROBLEMS;

/** Thrown anywhere while a request is handled; answered as it says. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly details: readonly Detail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param message for the reader of the answer: what is wrong and what to do; never the inner cause
   * @param options.headers sent with the answer, for example Retry-After in whole seconds
   */
  constructor(
    code: ProblemCode,
    message: string,
    options: { details?: readonly Detail[]; headers?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get status(): number {
    return PROBLEMS[this.code];
  }

  get body(): ProblemBody {
    return {
      error: this.message,
      code: this.code,
      ...(this.details && this.details.length > 0 ? { details: this.details } : {}),
    };
  }
}

/** The path names nothing in this workspace. */
export function notFound(what: string): Problem {
  return new Problem('not_found', `${what} was not found in this workspace`);
}

/** At most so many offences are listed; the sentence counts the rest. */
export const MAX_DETAILS = 20;
/** Of a name that the caller gave; in characters. */
const MAX_ECHO = 100;

/**
 * A value of the request breaks its rule. The sentence says it of the first field.
 * @param count of all offences, where `details` holds only the first of them
 */
export function invalidRequest(details: readonly Detail[], count = details.length): Problem {
  return offence('invalid_request', details, count);
}

/** The body names users or companies that are not in the workspace. */
export function invalidReference(details: readonly Detail[]): Problem {
  return offence('invalid_reference', details, details.length);
}

function offence(code: ProblemCode, all: readonly Detail[], count: number): Problem {
  const details = all
    .slice(0, MAX_DETAILS)
    .map(({ field, message }) => ({ field: cut(field, MAX_ECHO), message }));
  const [{ field, message } = { field: '', message: 'is invalid' }] = details;
  const rest = count > details.length ? `details has the first ${details.length}` : 'see details';
  const more = count > 1 ? ` (and ${count - 1} more: ${rest})` : '';
  return new Problem(code, `${field || '""'} ${message}${more}`, { details });
}

/** The first characters of a text, none of them cut in two. */
function cut(text: string, longest: number): string {
  return text.length <= longest
    ? text
    : Array.from(text.slice(0, 2 * longest))
        .slice(0, longest)
        .join('');
}

/**
 * The caller's stable id was used before: for a retry, the earlier request succeeded (contract, "Retry rules").
 * @param what with its article: `an offer`
 */
export function forbidden(missing: readonly string[]): Problem {
  return new Problem('forbidden', `The API key lacks the permission ${missing.join(' and ')}`);
}

export function idAlreadyUsed(what: string, id: string): Problem {
  return new Problem(
    'id_already_used',
    `The id ${id} already belongs to ${what}; read it to check the earlier request`,
    { details: [{ field: 'id', message: 'is already used' }] },
  );
}

/** Another has changed what If-Match names, or it never was so. */
export function preconditionFailed(what: string): Problem {
  return new Problem(
    'precondition_failed',
    `${what} is not as If-Match says; nothing was changed. Read it again and repeat the change on what it is now`,
  );
}
