import type { Missing } from './permission.ts';

/** What can be wrong with a value, for the application, which says it in the reader's language. */
export type Rule =
  | 'required'
  | 'too_long'
  | 'too_short'
  | 'email'
  | 'date'
  | 'number'
  | 'text'
  | 'choice'
  | 'reference'
  | 'taken';

/** One invalid field of a request; `field` is the bare name. Only the application gets the rule. */
export type Detail = { field: string; message: string; rule?: Rule | undefined };

/** The body of every error response (contract, "Errors"). */
type ProblemBody = { error: string; code: ProblemCode; details?: readonly Detail[] };

/** The `code` values by status, with their meaning for the description of the API. */
const CODES_BY_STATUS = {
  400: {
    malformed_json: 'The body is not JSON, is empty, or is not an object',
    invalid_request: 'A path, query or body value is invalid, or a field is unknown or repeated',
    invalid_reference:
      'The body names a user or company that is not in the workspace, or a company that is deleted',
    malformed_request: 'The request is not valid HTTP',
  },
  401: { unauthorized: 'No API key, or one that is malformed, unknown, expired or revoked' },
  403: { forbidden: 'The API key lacks a permission, or its creator the role; `error` names it' },
  404: { not_found: 'No such path, or nothing with this id or number in this workspace' },
  405: { method_not_allowed: 'The path does not allow this method; Allow lists those it does' },
  408: { request_timeout: 'The request did not arrive in time' },
  409: {
    request_in_progress: 'A request with this Idempotency-Key is in progress; repeat it as Retry-After says',
    id_already_used: 'The id was used before; read it to check the earlier request',
    company_deleted: 'The company is deleted; it can be restored in the application',
    status_conflict: 'The status changed during the request; read the offer before retrying',
    limit_reached: 'The contact already has 1000 contact details or 1000 company links; nothing was added',
  },
  410: {
    cursor_expired:
      'The cursor is older than what is kept, or the database was restored; read everything again',
    erased: 'The answer to this Idempotency-Key held data that have since been erased',
  },
  412: { precondition_failed: 'The resource does not match If-Match; nothing was changed' },
  413: { payload_too_large: 'The body is larger than 256 KiB' },
  414: { uri_too_long: 'The URL is longer than 8 KiB' },
  415: { unsupported_media_type: 'The body is not application/json in UTF-8, or has a Content-Encoding' },
  422: {
    idempotency_key_reused: 'The Idempotency-Key was sent before with another operation or body',
    not_in_register: 'The organisation number is unknown, removed or, for a new company, dissolved',
  },
  429: { rate_limited: 'Too many requests; wait as Retry-After says' },
  431: { headers_too_large: 'The headers are larger than 16 KiB' },
  500: { internal_error: 'The request failed; for a write, check the outcome before retrying' },
  501: { not_implemented: 'The service does not support this Transfer-Encoding' },
  503: {
    temporarily_unavailable: 'The service is temporarily unavailable; wait as Retry-After says',
    register_unavailable: 'The register is unavailable, and nothing was created; wait as Retry-After says',
  },
} as const;

/** Codes that occur only in the application. */
const CODES_OF_APPLICATION = {
  401: {
    sign_in_failed: 'Email address or password is wrong',
    account_not_linked: 'No user is linked to the account at the identity provider',
  },
  403: {
    cross_site: 'The request changes something and comes from another site',
    sign_in_first: 'The person whom the link invites already has an account: sign in first',
    no_workspace: 'The person who signs in is a member of no workspace',
  },
  409: {
    account_linked_elsewhere: 'The account at the identity provider is already linked to another user',
    already_member: 'The person is a member of the workspace already',
    last_owner: 'The workspace would be left without an owner',
    last_way_in: 'The person would be left without a way to sign in',
    hand_over_first: 'The person has open work: name who takes it over',
    import_undone: 'The import was undone; it accepts no more rows',
    key_ended: 'The key has expired, or was revoked or replaced',
    other_workspaces:
      'The person is known to other workspaces too; only the operator gives them a new password',
    workspace_changed: 'The session is in another workspace than the page shows',
    workspace_not_empty: 'The workspace has companies: demo data can be added to an empty one only',
  },
  410: {
    link_used: 'The link was used before or has expired',
    undo_expired: 'The import is more than a day old',
  },
  503: { provider_unavailable: 'The identity provider does not answer' },
} as const;

type Codes<ByStatus> = { [S in keyof ByStatus]: keyof ByStatus[S] }[keyof ByStatus];

/** A code that occurs in the API. */
type ApiCode = Codes<typeof CODES_BY_STATUS>;

export type ProblemCode = ApiCode | Codes<typeof CODES_OF_APPLICATION>;

function statusesOf<Code extends string>(codes: Readonly<Record<number, object>>): Record<Code, number> {
  return Object.fromEntries(
    Object.entries(codes).flatMap(([status, those]) =>
      Object.keys(those).map((code) => [code, Number(status)]),
    ),
  ) as Record<Code, number>;
}

/** The codes of the API with their statuses. */
export const PROBLEMS = statusesOf<ApiCode>(CODES_BY_STATUS);

/** The status of each code. */
export const STATUSES: Record<ProblemCode, number> = { ...PROBLEMS, ...statusesOf(CODES_OF_APPLICATION) };

/** The meaning of each code. */
export const MEANINGS: Record<ProblemCode, string> = Object.assign(
  {},
  ...Object.values(CODES_BY_STATUS),
  ...Object.values(CODES_OF_APPLICATION),
);

/** An error response; thrown anywhere while a request is handled. */
export class Problem extends Error {
  override readonly name = 'Problem';
  readonly code: ProblemCode;
  readonly status: number;
  readonly details: readonly Detail[] | undefined;
  readonly headers: Readonly<Record<string, string>>;

  /**
   * @param message sent to the caller: what is wrong and what to do, never the cause
   * @param options.status instead of the code's usual one; the operation declares it in `statuses`
   * @param options.headers sent with the response, for example Retry-After in whole seconds
   */
  constructor(
    code: ProblemCode,
    message: string,
    options: {
      details?: readonly Detail[];
      status?: number;
      headers?: Record<string, string>;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.status = options.status ?? STATUSES[code];
    this.details = options.details;
    this.headers = options.headers ?? {};
  }

  get body(): ProblemBody {
    return bodyOf(
      this,
      this.details?.map(({ field, message }) => ({ field, message })),
    );
  }

  /** The body that the application gets: its details name the rules. */
  get applicationBody(): ProblemBody {
    return bodyOf(this, this.details);
  }
}

function bodyOf({ message, code }: Problem, details: readonly Detail[] | undefined): ProblemBody {
  return { error: message, code, ...(details && details.length > 0 ? { details } : {}) };
}

/** Nothing in this workspace has the id or number of the path. @param what for example `The offer 018f…` */
export function notFound(what: string): Problem {
  return new Problem('not_found', `${what} was not found in this workspace`);
}

/** @param allow the methods of the path */
export function methodNotAllowed(allow: string): Problem {
  return new Problem('method_not_allowed', `Method not allowed; allowed: ${allow}`, { headers: { allow } });
}

/** The row of what the path names. @throws {Problem} not_found when there is none */
export function found<Row>(row: Row | undefined, what: string): Row {
  if (row === undefined) throw notFound(what);
  return row;
}

/** The most details listed; `error` counts the rest. */
const MAX_DETAILS = 20;
/** Characters shown of a name that the caller sent. */
const MAX_ECHO = 100;

/** Values of the request are invalid; `error` is about the first of them. */
export function invalidRequest(details: readonly Detail[]): Problem {
  return withDetails('invalid_request', details);
}

/** The body names users or companies that are not in the workspace. */
export function invalidReference(details: readonly Detail[]): Problem {
  return withDetails(
    'invalid_reference',
    details.map(({ field, message }) => ({ field, message, rule: 'reference' })),
  );
}

function withDetails(code: ProblemCode, all: readonly Detail[]): Problem {
  const details = all
    .slice(0, MAX_DETAILS)
    // Some JSON parsers refuse an answer with a lone surrogate.
    .map(({ field, message, rule }) => ({ field: truncate(field, MAX_ECHO).toWellFormed(), message, rule }));
  const [{ field, message } = { field: '', message: 'is invalid' }] = details;
  const rest = all.length > MAX_DETAILS ? `details has the first ${MAX_DETAILS}` : 'see details';
  const more = all.length > 1 ? ` (and ${all.length - 1} more: ${rest})` : '';
  return new Problem(code, `${field || '""'} ${message}${more}`, { details });
}

/** The first characters (code points) of a text. */
function truncate(text: string, max: number): string {
  return text[Symbol.iterator]().take(max).toArray().join('');
}

/** @param missing see `Permission`; people have all permissions of keys */
export function forbidden({ kind }: { kind: 'key' | 'user' }, missing: readonly Missing[]): Problem {
  const text =
    kind === 'key'
      ? keyForbidden(missing)
      : `Your role in the workspace does not allow this: ask an ${missing.includes('owner') ? 'owner' : 'admin or an owner'}`;
  return new Problem('forbidden', text);
}

function keyForbidden(missing: readonly Missing[]): string {
  const names = missing.filter((one) => typeof one === 'string');
  const permissions = `permission${names.length > 1 ? 's' : ''} ${names.join(' and ')}`;
  const roles = missing.flatMap((one) => (typeof one === 'string' ? [] : one.ofCreator)).join(' or ');
  if (roles === '') return `The API key lacks the ${permissions}`;
  const advice = `use a key that a member with the role ${roles} created`;
  return names.length === 0
    ? `The API key was created by a member whose role does not allow this: ${advice}`
    : `The API key lacks the ${permissions}, and the role of its creator does not allow this: ${advice}`;
}

/**
 * The caller's stable id was used before: for a retry, the earlier request succeeded (contract, "Retry rules").
 * @param what with its article: `an offer`
 */
export function idAlreadyUsed(what: string, id: string, { isGone = false } = {}): Problem {
  const advice = isGone ? '' : '; read it to check the earlier request';
  return new Problem('id_already_used', `The id ${id} already belongs to ${what}${advice}`, {
    details: [{ field: 'id', message: 'is already used', rule: 'taken' }],
  });
}

/** Nothing is served at the path. */
export function unknownPath(): Problem {
  return new Problem('not_found', 'No such path; the API is below /api/v1 and described at /docs');
}

/** The resource has another state than If-Match names. */
export function preconditionFailed(what: string): Problem {
  return new Problem(
    'precondition_failed',
    `${what} does not match If-Match; nothing was changed. Read it again and repeat the change on its current state`,
  );
}

/** The rejected request had no effect. */
export function overloaded(): Problem {
  return new Problem(
    'temporarily_unavailable',
    'The service is overloaded and did not process this request; wait as Retry-After says',
    { headers: { 'retry-after': '1' } },
  );
}
