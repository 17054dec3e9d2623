import type { FastifyInstance, FastifyRequest } from 'fastify';
import { conditionsOf } from './conditional.ts';
import type { Endpoint } from './endpoint.ts';
import { idempotencyKey, type Given, type Repeats } from './idempotency.ts';
import type { Queryable } from '../db/connect.ts';
import { emptyBody } from './json-body.ts';
import { chargeBytes, guard, type GuardOptions } from './guard.ts';
import { invalidRequest, Problem, type Detail } from './problem.ts';
import { recordedIdOf } from './request-id.ts';
import { validate } from './validate.ts';

export type MountOptions = GuardOptions & { repeats: Pick<Repeats, 'once'> };

export const BASE_PATH = '/api/v1';

const JSON_TYPE = 'application/json; charset=utf-8';

/** Mounts the endpoints under /api/v1, and what answers there for unknown paths and methods. */
export function mount(app: FastifyInstance, endpoints: readonly Endpoint[], options: MountOptions): void {
  void app.register(
    (api, _, done) => {
      for (const endpoint of endpoints) addRoute(api, endpoint, options);
      refuseOthers(api, endpoints, options);
      done();
    },
    { prefix: BASE_PATH },
  );
}

function addRoute(api: FastifyInstance, endpoint: Endpoint, options: MountOptions): void {
  const route = BASE_PATH + endpoint.path;
  api.route({
    method: endpoint.method === 'GET' ? ['GET', 'HEAD'] : endpoint.method,
    url: endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'),
    exposeHeadRoute: false,
    onRequest: guard(options, route, { permission: endpoint.permission }),
    async handler(request, reply) {
      const offences: Detail[] = [];
      const conditions = conditionsOf(endpoint, request.headers, offences);
      const key = endpoint.method === 'POST' ? idempotencyKey(request.headers, offences) : undefined;
      const input = checkInput(endpoint, request, offences);
      const { status, body, etag, isReplay } = await carryOut(endpoint, request, options.repeats, {
        ...input,
        key,
        match: conditions.match,
      });
      if (isReplay) reply.header('idempotency-replayed', 'true');
      if (etag !== undefined) {
        reply.header('etag', `"${etag}"`);
        if (conditions.isKnown(etag)) return reply.code(304).send();
      }
      if (body === '') return reply.code(status).send();
      chargeBytes(options.limits, request, body.length);
      return reply.code(status).header('content-type', JSON_TYPE).send(body);
    },
  });
}

type Input = ReturnType<typeof validate>;

/** @param offences of its headers @throws {Problem} invalid_request, malformed_json, not_found */
function checkInput(endpoint: Endpoint, request: FastifyRequest, offences: readonly Detail[]): Input {
  refuseUndecodable(request.raw.url ?? '');
  if (endpoint.params && hasEmpty(request.params as Record<string, string>)) throw noSuchPath(request.url);
  if (endpoint.body && request.body === undefined) throw emptyBody();
  return validate(endpoint, request, offences);
}

/** Once for each Idempotency-Key, otherwise as often as it is asked for. */
async function carryOut(
  endpoint: Endpoint,
  request: FastifyRequest,
  repeats: MountOptions['repeats'],
  { key, ...input }: Input & { key: string | undefined; match: readonly string[] | null },
): Promise<Given> {
  const caller = request.caller!;
  const { socket } = request.raw;
  const recordedId = recordedIdOf(request.id);
  if (endpoint.method !== 'GET' && recordedId !== request.id) request.recordedId = recordedId;
  const handle = (on?: Queryable) =>
    endpoint.handle({
      ...input,
      caller,
      tenant: caller.tenant.for(recordedId, on),
      // A client that has closed its side still gets an answer, but what waits for it ends.
      isGone: () => socket.destroyed || socket.readableEnded,
      stepAside: () => request.stepAside(),
    });
  if (key === undefined) {
    const { status, body, etag } = await handle();
    // The answer was built from typed rows: Fastify has nothing left to serialize.
    const text = body === undefined ? '' : JSON.stringify(body);
    return { status, body: text, isReplay: false, ...(etag !== undefined && { etag }) };
  }
  const name = { tenant: caller.tenant.id, scope: caller.keyId, idempotency_key: key };
  const operation = `${endpoint.route} ${JSON.stringify(input.params)}`;
  return repeats.once(name, { operation, body: request.body }, handle);
}

/** The query parser would hand on what it cannot decode, or replace it. */
function refuseUndecodable(url: string): void {
  const query = url.slice(url.indexOf('?') + 1 || url.length);
  if (!query.includes('%')) return;
  const details = query
    .split('&')
    .filter((pair) => !isDecodable(pair))
    .map((pair) => ({ field: pair.split('=', 1)[0]!, message: 'must be percent-encoded UTF-8' }));
  if (details.length > 0) throw invalidRequest(details);
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

/** The router takes `/companies/` for a company without a number. */
function hasEmpty(params: Record<string, string>): boolean {
  return Object.values(params).includes('');
}

function noSuchPath(url: string): Problem {
  const message = url.split('?')[0]!.endsWith('/')
    ? 'No such path: leave out the slash at the end. The paths are described at /docs'
    : 'No such path; the paths are described at /docs';
  return new Problem('not_found', message);
}

/** A path that no endpoint has is 404, a method that its path does not take 405: both after 401 and 429. */
function refuseOthers(api: FastifyInstance, endpoints: readonly Endpoint[], options: GuardOptions): void {
  const paths = Map.groupBy(endpoints, (endpoint) => endpoint.path);
  const patterns = [...paths].map(([path, those]) => ({
    pattern: new RegExp(`^${BASE_PATH}${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    allow: those.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : method)).join(', '),
  }));

  function refuse(request: FastifyRequest): Problem {
    const [path = ''] = request.url.split('?');
    const known = patterns.find(({ pattern }) => pattern.test(path));
    if (!known) return noSuchPath(path);
    return new Problem('method_not_allowed', `Method not allowed; allowed: ${known.allow}`, {
      headers: { allow: known.allow },
    });
  }

  const check = guard(options, `${BASE_PATH}/*`, { refuse });
  api.addHook('onRequest', (request, reply, done) => (request.is404 ? check(request, reply, done) : done()));
  api.setNotFoundHandler((request) => {
    throw refuse(request);
  });
}
