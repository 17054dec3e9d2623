import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import { networkOf } from './address.ts';
import { NO_TURN, type Admission, type Turn } from './admission.ts';
import { BODY_LIMITS } from './json-body.ts';
import type { Caller, Endpoint } from './endpoint.ts';
import type { Permission } from './permission.ts';
import { forbidden, Problem } from './problem.ts';
import type { RateLimiter, Standing } from './rate-limit.ts';

/** How requests authenticate: API keys or sessions, as one process knows them. */
export type Credentials = {
  /** The token of a request; undefined if it has none. */
  tokenOf(request: { headers: IncomingHttpHeaders; protocol?: string }): string | undefined;
  /** The cached owner of a token: null for an invalid token, undefined if it must be looked up. */
  recall(token: string): Caller | null | undefined;
  /** Whether `recall` would still return this caller, as far as is known without asking the database. */
  isCurrent?(caller: Caller): boolean;
  /** The id that a token claims, if it contains one. */
  idOf(token: string): string | undefined;
  /**
   * Looks a token up in the database.
   * @param admit called before the query for a token that this process has never seen valid; false rejects it
   */
  lookUp(token: string, admit: () => boolean): Promise<Caller | null> | 'refused';
  /** The 401 of a request without a valid token. */
  unauthorized(headers: IncomingHttpHeaders): Problem;
  /** Rejects a request that was meant for another caller with the same token. */
  refuse?(request: Pick<FastifyRequest, 'headers' | 'query'>, caller: Caller): Problem | undefined;
};

export type GuardOptions = {
  credentials: Credentials;
  admission: Admission;
  /** Undefined when rate limiting is off. */
  limits: Limits | undefined;
};

export type Limits = { keys: RateLimiter; addresses: RateLimiter };

type Check = Partial<Pick<Endpoint, 'permission' | 'needsNoDatabase'>> & {
  /** The 404 or 405 of a request. */
  refuse: (request: FastifyRequest) => Problem | undefined;
};

type Done = (error?: Error) => void;
type Hook = (request: FastifyRequest, reply: FastifyReply, done: Done) => void;

/** Bytes of a body that count as one more request. */
const BYTES_PER_REQUEST = 16_384;

/**
 * The checks before a body is read, in the order that the API documents: 401, 429, for a session the 409 of another
 * workspace, the result of `refuse` (404 and 405 of the route), 403. Synchronous for a cached key.
 */
export function guard(options: GuardOptions, route: string, check: Check): Hook {
  const { credentials, admission, limits } = options;

  function enter(request: FastifyRequest, reply: FastifyReply, caller: Caller, done: Done): void {
    // Set first, so that the log of a rejected request names its key too.
    request.caller = caller;
    const start = (turn: Turn, problem?: Problem) => {
      // Set before done(), which may run the handler of a GET.
      request.turn = turn;
      done(admit(request, reply, caller) ?? problem);
    };
    if (check.needsNoDatabase) start(NO_TURN);
    else admission.enter(caller.id, reply.raw, start);
  }

  function admit(request: FastifyRequest, reply: FastifyReply, caller: Caller): Problem | undefined {
    const limited = limits && tooMany(reply, limits.keys, limits.keys.count(caller.id, costOf(request)));
    const refused = limited ?? credentials.refuse?.(request, caller) ?? check.refuse(request);
    if (refused) return refused;
    const query = request.query as Record<string, unknown>;
    const missing = check.permission?.missingFrom(caller.permissions, caller.role, query) ?? [];
    return missing.length === 0 ? undefined : forbidden(caller, missing);
  }

  function refuseUnauthenticated(request: FastifyRequest, reply: FastifyReply): Problem {
    return limitAddress(limits, request, reply) ?? credentials.unauthorized(request.headers);
  }

  /** A look-up first counts against the address. The count is refunded for a valid key and if the database is down. */
  async function enterUnknown(token: string, request: FastifyRequest, reply: FastifyReply, done: Done) {
    let standing: Standing | undefined;
    const address = networkOf(request.ip);
    const admit = () => {
      standing = limits?.addresses.count(address);
      return standing?.allowed ?? true;
    };
    const lookUp = async () => credentials.lookUp(token, admit);
    const found = await lookUp().catch((error: unknown) => {
      // Without a cause it is not an outage: too many requests wait in this process, perhaps from this address.
      const isOutage = error instanceof DatabaseUnavailable && error.cause !== undefined;
      if (standing && isOutage) limits?.addresses.refund(address);
      throw error;
    });
    if (found === 'refused') return done(tooMany(reply, limits!.addresses, standing!));
    if (found) {
      if (standing) limits?.addresses.refund(address);
      return enter(request, reply, found, done);
    }
    if (!standing) return done(refuseUnauthenticated(request, reply));
    done(tooMany(reply, limits!.addresses, standing) ?? credentials.unauthorized(request.headers));
  }

  return (request, reply, done) => {
    request.routePattern = route;
    const token = credentials.tokenOf(request);
    const known = token === undefined ? null : credentials.recall(token);
    if (known === null) done(refuseUnauthenticated(request, reply));
    else if (known) enter(request, reply, known, done);
    else enterUnknown(token!, request, reply, done).catch(done);
  };
}

/**
 * Checks a caller again after a wait, for a turn, the body or another system: their rights may have changed meanwhile.
 * @throws {Problem} unauthorized, workspace_changed, forbidden
 */
export async function enterAgain(
  { credentials }: Pick<GuardOptions, 'credentials'>,
  request: FastifyRequest,
  permission: Permission,
): Promise<void> {
  if (credentials.isCurrent?.(request.caller!)) return;
  const token = credentials.tokenOf(request)!;
  const recalled = credentials.recall(token);
  const found = recalled === undefined ? await credentials.lookUp(token, () => true) : recalled;
  if (found === null || found === 'refused') throw credentials.unauthorized(request.headers);
  const refused = credentials.refuse?.(request, found);
  if (refused) throw refused;
  if (found.tenant.id !== request.caller!.tenant.id) throw credentials.unauthorized(request.headers);
  request.caller = found;
  const query = request.query as Record<string, unknown>;
  const missing = permission.missingFrom(found.permissions, found.role, query);
  if (missing.length > 0) throw forbidden(found, missing);
}

/** Whether too many requests of the key that a request claims already wait. */
export function isFull(
  { credentials, admission }: Pick<GuardOptions, 'credentials' | 'admission'>,
  request: IncomingMessage,
): boolean {
  return admission.isFull(() => {
    const token = credentials.tokenOf(request);
    return token === undefined ? undefined : credentials.idOf(token);
  });
}

/** The limit of pages that need no key: counted by address, like requests without a valid key. */
export function limitAddresses(limits: Limits | undefined): Hook {
  return (request, reply, done) => done(limitAddress(limits, request, reply));
}

/** Charges a body that was sent without Content-Length, after it was read. */
export function chargeUnannounced(limits: Limits | undefined, request: FastifyRequest, bytes: number): void {
  if (request.headers['content-length'] === undefined) chargeBytes(limits, request, bytes);
}

/** Charges an answer or a body by its size. */
export function chargeBytes(limits: Limits | undefined, request: FastifyRequest, bytes: number): void {
  const { caller } = request;
  const cost = Math.floor(bytes / BYTES_PER_REQUEST);
  if (caller && cost > 0) limits?.keys.charge(caller.id, cost);
}

function limitAddress(
  limits: Limits | undefined,
  request: FastifyRequest,
  reply: FastifyReply,
): Problem | undefined {
  return limits && tooMany(reply, limits.addresses, limits.addresses.count(networkOf(request.ip)));
}

/** A request counts once, and once more for each 16 KiB of its body. */
function costOf({ headers }: FastifyRequest): number {
  const length = headers['content-length'];
  if (length === undefined) return 1;
  return 1 + Math.floor(Math.min(Number(length), BODY_LIMITS.bytes) / BYTES_PER_REQUEST);
}

function tooMany(reply: FastifyReply, limiter: RateLimiter, standing: Standing): Problem | undefined {
  reply.header('ratelimit-policy', limiter.policy);
  reply.header('ratelimit', standing.header);
  if (standing.allowed) return undefined;
  const wait = standing.retryAfterSeconds;
  return new Problem('rate_limited', `Too many requests; wait ${wait} s, as Retry-After says`, {
    headers: { 'retry-after': String(wait) },
  });
}
