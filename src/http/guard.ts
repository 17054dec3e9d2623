import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Caller } from './endpoint.ts';
import type { Permission } from './permission.ts';
import { Problem } from './problem.ts';
import type { RateLimiter, Standing } from './rate-limit.ts';

/** Finds who a key belongs to; at once when the key is known here, undefined for no such key. */
export type FindCaller = (token: string) => Caller | undefined | Promise<Caller | undefined>;

export type GuardOptions = {
  findCaller: FindCaller;
  /** Undefined when rate limiting is off. */
  limits: { keys: RateLimiter; addresses: RateLimiter } | undefined;
};

/** What is known of a request beside what Fastify keeps. */
export type Known = {
  /** Pattern of the route, for logs and metrics. */
  route: string;
  caller: Caller | undefined;
};

/** The request property that holds it; declared on the server once, so that requests keep one shape. */
export const KNOWN = 'known';

export function knownOf(request: FastifyRequest): Known {
  return (request as unknown as { [KNOWN]: Known })[KNOWN];
}

type Hook = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => void;

/**
 * The checks before a body is read, in the order the interface promises: 401, 429, what `refuse` says
 * (404 and 405 of the route), 403. Synchronous for a key that is known in this process.
 */
export function guard(
  options: GuardOptions,
  route: string,
  check: { permission: Permission } | { refuse: (request: FastifyRequest) => Problem },
): Hook {
  const { findCaller, limits } = options;

  function admit(
    request: FastifyRequest,
    reply: FastifyReply,
    caller: Caller | undefined,
  ): Error | undefined {
    const known = knownOf(request);
    known.caller = caller;
    known.route = route;
    if (!caller) return refuseStranger(request, reply);
    const limited = limits && tooMany(reply, limits.keys, limits.keys.count(caller.keyId));
    if (limited) return limited;
    if ('refuse' in check) return check.refuse(request);
    const missing = check.permission.missingFrom(caller.permissions);
    return missing.length === 0 ? undefined : forbidden(missing);
  }

  function refuseStranger(request: FastifyRequest, reply: FastifyReply): Problem {
    const limited = limits && tooMany(reply, limits.addresses, limits.addresses.count(request.ip));
    return limited ?? unauthorized(request.headers.authorization);
  }

  return (request, reply, done) => {
    const token = bearerToken(request.headers.authorization);
    const caller = token === undefined ? undefined : findCaller(token);
    if (caller instanceof Promise) {
      caller.then(
        (found) => done(admit(request, reply, found)),
        (error: Error) => done(error),
      );
    } else {
      done(admit(request, reply, caller));
    }
  };
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

function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : /^Bearer +([\w~+/.-]+=*) *$/i.exec(header)?.[1];
}

function unauthorized(header: string | undefined): Problem {
  const message =
    header === undefined
      ? 'No API key; send the header Authorization: Bearer <API_KEY>'
      : 'The API key is malformed, unknown, expired or revoked';
  return new Problem('unauthorized', message, { headers: { 'www-authenticate': 'Bearer' } });
}

function forbidden(missing: readonly string[]): Problem {
  return new Problem('forbidden', `The API key lacks the permission ${missing.join(' and ')}`);
}
