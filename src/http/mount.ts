import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { networkOf } from './address.ts';
import { conditionsOf } from './conditional.ts';
import { createSendFile, type SendFile } from './download.ts';
import type { Answer, Endpoint, OpenEndpoint, Visitor } from './endpoint.ts';
import { idempotencyKey, type GivenAnswer, type Repeats } from './idempotency.ts';
import type { Queryable } from '../db/connect.ts';
import { breaksReference } from '../db/unavailable.ts';
import { emptyBody } from './json-body.ts';
import { chargeBytes, enterAgain, guard, limitAddresses, type GuardOptions } from './guard.ts';
import { methodNotAllowed, Problem, type Detail } from './problem.ts';
import { JSON_TYPE } from './protocol.ts';
import { recordedIdOf } from './request-id.ts';
import { originOf } from './same-origin.ts';
import { sessionCookie, sessionTokenOf } from './session-cookie.ts';
import { validate } from './validate.ts';

type MountOptions = GuardOptions & {
  repeats: Pick<Repeats, 'once'>;
  /** Called first; a problem rejects the request. */
  refuse?: (request: FastifyRequest) => Problem | undefined;
};

/** The path of the API, which takes API keys. */
export const BASE_PATH = '/api/v1';

/** The path of the operations that the application calls. */
export const APP_PATH = '/app/api';

/** The most characters that are kept of a browser's User-Agent header. */
const MAX_USER_AGENT = 512;

/** Mounts the endpoints below a path, with the errors for unknown paths and methods. */
export function mount(
  app: FastifyInstance,
  basePath: string,
  endpoints: readonly Endpoint[],
  options: MountOptions,
): void {
  void app.register(
    (api, _, done) => {
      const { refuse } = options;
      if (refuse) api.addHook('onRequest', (request, _reply, next) => next(refuse(request)));
      const sendFile = createSendFile();
      for (const endpoint of endpoints) addRoute(api, basePath, endpoint, { ...options, sendFile });
      refuseOthers(api, basePath, endpoints, options);
      done();
    },
    { prefix: basePath },
  );
}

function addRoute(
  api: FastifyInstance,
  basePath: string,
  endpoint: Endpoint,
  options: MountOptions & { sendFile: SendFile },
): void {
  const route = basePath + endpoint.path;
  api.route({
    ...routeOf(endpoint),
    onRequest: guard(options, route, { ...endpoint, refuse: refuseEmpty }),
    // Returns nothing: for a promise, Fastify would listen to the end of the answer.
    handler(request, reply) {
      request.turn!.during(() => respond(request, reply)).catch((error: Error) => void reply.send(error));
    },
  });

  async function respond(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // A GET that has not waited was checked a moment ago; others may have waited for their body.
    const mayHaveWaited = endpoint.method !== 'GET' || request.turn!.hasWaited;
    if (mayHaveWaited) await enterAgain(options, request, endpoint.permission);
    const offences: Detail[] = [];
    const { match, isKnown } = conditionsOf(endpoint, request.headers, offences);
    const key = endpoint.method === 'POST' ? idempotencyKey(request.headers, offences) : undefined;
    if (key !== undefined && endpoint.unrepeatable) {
      offences.push({ field: 'Idempotency-Key', message: 'is not accepted by this operation' });
    }
    const input = { ...checkInput(endpoint, request, offences), match };
    const run = () => carryOut(endpoint, request, options, key, input);
    const answer = await run().catch((error: unknown) => {
      if (!breaksReference(error)) throw error;
      // What the request names was removed for good after it was checked, as demo data are: now the check says so.
      return run();
    });
    const { status, body, etag, session, download, isReplay } = answer;
    if (isReplay) reply.header('idempotency-replayed', 'true');
    if (basePath === APP_PATH && request.recordedId !== undefined) {
      reply.header('recorded-request-id', request.recordedId);
    }
    keepSession(request, reply, session);
    if (etag !== undefined) {
      reply.header('etag', `"${etag}"`);
      if (isKnown(etag)) return void reply.code(304).send();
    }
    if (download) return void options.sendFile(request, reply, download);
    if (body === '') return void reply.code(status).send();
    chargeBytes(options.limits, request, body.length);
    void reply.code(status).header('content-type', JSON_TYPE).send(body);
  }
}

/** Mounts the endpoints that need no sign-in, limited by address. */
export function mountOpen(
  app: FastifyInstance,
  basePath: string,
  endpoints: readonly OpenEndpoint[],
  { limits, refuse, log }: Pick<MountOptions, 'limits' | 'refuse'> & { log: Logger },
): void {
  for (const endpoint of endpoints) {
    const limit = limitAddresses(limits);
    app.route({
      ...routeOf({ ...endpoint, path: basePath + endpoint.path }),
      onRequest(request, reply, done) {
        request.routePattern = basePath + endpoint.path;
        const refused = refuse?.(request);
        if (refused) done(refused);
        else limit(request, reply, (limited) => done(limited ?? refuseEmpty(request)));
      },
      async handler(request, reply) {
        const { status, body, session } = await endpoint.handle({
          ...checkInput(endpoint, request),
          visitor: visitorOf(request, log),
        });
        keepSession(request, reply, session);
        if (body === undefined) return reply.code(status).send();
        return reply.code(status).header('content-type', JSON_TYPE).send(JSON.stringify(body));
      },
    });
  }
}

function routeOf({ method, path }: Pick<Endpoint, 'method' | 'path'>) {
  return {
    method: methodsOf({ method }),
    url: path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: false,
  };
}

function methodsOf({ method }: Pick<Endpoint, 'method'>): string[] {
  return method === 'GET' ? ['GET', 'HEAD'] : [method];
}

function visitorOf(request: FastifyRequest, log: Logger): Visitor {
  return {
    network: networkOf(request.ip),
    userAgent: (request.headers['user-agent'] ?? '').slice(0, MAX_USER_AGENT),
    origin: originOf(request),
    token: sessionTokenOf(request),
    log: (fields, message) => log.info({ request_id: request.id, ...fields }, message),
  };
}

function keepSession(request: FastifyRequest, reply: FastifyReply, session: string | null | undefined): void {
  if (session === undefined) return;
  reply.header('set-cookie', sessionCookie(session, request));
}

type Input = ReturnType<typeof validate>;

/** @param offences invalid headers, reported together @throws {Problem} invalid_request, malformed_json */
function checkInput(
  endpoint: Pick<Endpoint, 'params' | 'query' | 'body' | 'method' | 'answers'>,
  request: FastifyRequest,
  offences: readonly Detail[] = [],
): Input {
  if (endpoint.body && request.body === undefined) throw emptyBody();
  const repeated = (request.repeated ?? []).map((field) => ({ field, message: 'must be given once' }));
  return validate(endpoint, request, [...undecodable(request.raw.url ?? ''), ...repeated, ...offences]);
}

/** Runs the handler: once for each Idempotency-Key, otherwise for every request. */
async function carryOut(
  endpoint: Endpoint,
  request: FastifyRequest,
  options: MountOptions,
  key: string | undefined,
  input: Input & { match: readonly string[] | null },
): Promise<GivenAnswer & Pick<Answer, 'session' | 'download'>> {
  const caller = request.caller!;
  const { socket } = request.raw;
  const { stepAside, comeBack } = request.turn!;
  const recordedId = recordedIdOf(request.id);
  if (endpoint.method !== 'GET' && recordedId !== request.id) request.recordedId = recordedId;
  const handle = (transaction?: Queryable) =>
    endpoint.handle({
      ...input,
      caller,
      origin: originOf(request),
      tenant: caller.tenant.for(recordedId, transaction),
      // A client that has closed its side still gets an answer, but the service stops waiting for it.
      isGone: () => socket.destroyed || socket.readableEnded,
      stepAside,
      async waitAside(wait) {
        stepAside();
        const waitedFor = await wait();
        await comeBack();
        await enterAgain(options, request, endpoint.permission);
        return waitedFor;
      },
    });
  if (key === undefined) {
    const answer = await handle();
    // The answer was built from typed rows: Fastify has nothing left to serialize.
    const body = answer.body === undefined ? '' : JSON.stringify(answer.body);
    return { ...answer, body, isReplay: false };
  }
  const name = { tenant: caller.tenant.id, scope: caller.id, idempotency_key: key };
  const operation = `${endpoint.route} ${JSON.stringify(input.params)}`;
  return options.repeats.once(name, { operation, body: request.body }, handle);
}

/** The query parameters that cannot be decoded: the parser of the query would pass them on, or replace them. */
function undecodable(url: string): Detail[] {
  const query = url.slice(url.indexOf('?') + 1 || url.length);
  if (!query.includes('%')) return [];
  const pairs = query.split('&').filter((pair) => !isDecodable(pair));
  const fields = new Set(pairs.map((pair) => pair.split('=', 1)[0]!));
  return [...fields].map((field) => ({ field, message: 'must be percent-encoded UTF-8' }));
}

export function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The router matches `/companies/` as a company with an empty number. */
function refuseEmpty({ params, url }: FastifyRequest): Problem | undefined {
  return Object.values(params as Record<string, string>).includes('')
    ? noSuchPath({ hasSlashTooMany: url.split('?')[0]!.endsWith('/') })
    : undefined;
}

function noSuchPath({ hasSlashTooMany }: { hasSlashTooMany: boolean }): Problem {
  const message = hasSlashTooMany
    ? 'No such path: leave out the slash at the end. The paths are described at /docs'
    : 'No such path; the paths are described at /docs';
  return new Problem('not_found', message);
}

/** Answers an unknown path with 404 and an unknown method with 405, both after 401 and 429. */
function refuseOthers(
  api: FastifyInstance,
  basePath: string,
  endpoints: readonly Endpoint[],
  options: GuardOptions,
): void {
  const paths = Map.groupBy(endpoints, (endpoint) => endpoint.path);
  // The router prefers a fixed segment to a parameter, so paths with fewer parameters come first.
  const patterns = [...paths]
    .toSorted(([one], [other]) => countParameters(one) - countParameters(other))
    .map(([path, those]) => ({
      path,
      pattern: new RegExp(
        `^${basePath}${path.replaceAll('.', String.raw`\.`).replaceAll(/\{\w+\}/g, '[^/]+')}$`,
      ),
      methods: those.flatMap(methodsOf),
    }));

  const find = (text: string) => patterns.find(({ pattern }) => pattern.test(text));

  function refuse(request: FastifyRequest): Problem {
    const [path = ''] = request.url.split('?');
    // Leaves an encoded slash as it is: it separates no segments.
    const decoded = decodeURI(path);
    const known = find(decoded);
    if (!known) return noSuchPath({ hasSlashTooMany: decoded.endsWith('/') && !!find(decoded.slice(0, -1)) });
    return methodNotAllowed(known.methods.join(', '));
  }

  const check = guard(options, `${basePath}/*`, { refuse });
  api.addHook('onRequest', (request, reply, done) => (request.is404 ? check(request, reply, done) : done()));
  api.setNotFoundHandler((request) => {
    throw refuse(request);
  });
  // Where another path has a parameter and this one a fixed segment, methods of the other must not match this one.
  for (const { path, methods } of patterns) {
    const others = patterns.filter((other) => other.path !== path && other.pattern.test(basePath + path));
    const method = others.flatMap((other) => other.methods).filter((each) => !methods.includes(each));
    if (method.length === 0) continue;
    api.route({ ...routeOf({ method: 'GET', path }), method, onRequest: check, handler: async () => {} });
  }
}

function countParameters(path: string): number {
  return path.split('{').length;
}
