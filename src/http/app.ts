import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server as HttpServer,
  type ServerOptions,
} from 'node:http';
import {
  fastify,
  type FastifyError,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type RouteOptions,
  type onRequestHookHandler,
} from 'fastify';
import type { Logger } from 'pino';
import { atEndOfTurn } from './end-of-turn.ts';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import { chargeUnannounced, type Limits } from './guard.ts';
import { BODY_LIMITS, parseJsonBody } from './json-body.ts';
import { APP_PATH, isDecodable } from './mount.ts';
import { oneAtATime } from './pipelining.ts';
import { MEANINGS, methodNotAllowed, Problem, unknownPath } from './problem.ts';
import { afterBody, hasBody } from './rest-of-body.ts';
import {
  answerClientError,
  asksForUpgrade,
  checkProtocol,
  refuseConnect,
  type ParserError,
} from './protocol.ts';
import { limitWarnings } from '../repeated-warnings.ts';
import { currentWork, type Tracer } from '../tracing/work.ts';
import { SECURITY_HEADERS, STRICT_TRANSPORT_SECURITY, strictTransport } from './security-headers.ts';
import { recorder, type RecordOptions } from './record.ts';
import { requestIdOf } from './request-id.ts';
import { decorateRequests } from './request-state.ts';
import { shedLoad, type LoadBounds, type OnShed } from './load.ts';

/** How long a client may take to send a request, and how long a connection may stay idle. */
const REQUEST_TIMEOUT_MS = 30_000;
const IDLE_TIMEOUT_MS = 75_000;

const SERVER_OPTIONS: ServerOptions = {
  requestTimeout: REQUEST_TIMEOUT_MS,
  headersTimeout: REQUEST_TIMEOUT_MS,
  keepAliveTimeout: IDLE_TIMEOUT_MS,
  connectionsCheckingInterval: 2_000,
  // `checkProtocol` rejects a missing Host, in the common error shape.
  requireHostHeader: false,
  shouldUpgradeCallback: () => false,
};

export type AppOptions = RecordOptions & {
  onShed: OnShed;
  /** Undefined where no traces are sent. */
  tracer?: Tracer | undefined;
  /** Undefined when rate limiting is off. */
  limits: Limits | undefined;
  /** Addresses and networks of proxies whose X-Forwarded headers are trusted; empty for none. */
  trustProxy: readonly string[];
  /** Beyond these, requests are rejected with 503. */
  load: LoadBounds;
};

/** A JSON server without routes: every error has the common shape, and every request is one line in the log. */
export function createApp(options: AppOptions): FastifyInstance {
  const { log, limits, trustProxy, tracer } = options;
  const record = recorder(options);
  const sendError = errorSender(log);
  const app = fastify({
    bodyLimit: BODY_LIMITS.bytes,
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    serverFactory: (handle) => createHttpServer(handle, options),
    rewriteUrl: (request) => escapeUndecodable(request.url ?? '/'),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: requestIdOf,
    // Longer than any URL that Node accepts: `checkProtocol` rejects those that are too long.
    routerOptions: { maxParamLength: 65_536 },
    // Without these, Fastify loads its compilers of JSON schemas at every start; Zod checks requests.
    schemaController: { compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema } },
    frameworkErrors: sendError,
    // `createHttpServer` handles client errors: it knows which responses are still due on a connection.
    clientErrorHandler: () => {},
  });

  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      rejectEncodings(request.headers);
      chargeUnannounced(limits, request, bytes.length);
      // An operation that takes a body rejects its absence; many clients announce JSON with every request.
      if (bytes.length === 0) return done(null, undefined);
      const { body, repeated } = parseJsonBody(bytes as Buffer);
      request.repeated = repeated;
      done(null, body);
    } catch (error) {
      done(error as Error);
    }
  });

  decorateRequests(app);
  app.addHook('onRequest', (request, reply, done) => {
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.headers(SECURITY_HEADERS);
    if (trustProxy.length > 0 && request.protocol === 'https') {
      reply.headers(STRICT_TRANSPORT_SECURITY);
    }
    if (closesAfter(request.raw)) reply.header('connection', 'close');
    // Many clients send a Content-Type with every request: without a body, it is ignored.
    if (!hasBody(request.raw)) request.raw.headers['content-type'] = undefined;
    const fault = checkProtocol(request.raw);
    request.work = { executed: [], span: tracer?.startRequest(request) };
    reply.raw.once('close', () => {
      if (request.stage !== 'handled') record(request, reply, true);
    });
    currentWork.run(request.work, () => done(fault));
  });
  // Reading a body and waiting for a turn lose the asynchronous context.
  app.addHook('preValidation', (request, _, done) => {
    const { work } = request;
    if (work && work !== currentWork.getStore()) currentWork.run(work, done);
    else done();
  });
  app.addHook('preHandler', (request, _, done) => {
    request.stage = 'handled';
    done();
  });
  const sendSoon = atEndOfTurn<() => void>((sends) => sends.forEach((send) => send()));
  app.addHook('onSend', (request, reply, payload, done) => {
    request.stage = 'answered';
    const send = () => {
      // For an answer whose connection is closed, Fastify calls no onResponse.
      if (reply.raw.closed) record(request, reply, true);
      done(null, payload);
    };
    // Answers that are sent in a row wake their receiver once. Streams are sent at once, to keep their asynchronous
    // context. So are answers to requests whose body has not arrived: an answer to invalid bytes of the body would
    // overtake them.
    if (typeof payload === 'string' && request.raw.complete) sendSoon(send);
    else send();
  });
  app.addHook('onResponse', (request, reply, done) => {
    record(request, reply, request.raw.socket.readableEnded);
    done();
  });
  app.addHook('onRoute', (route) => refuseOtherMethods(app, route));
  app.setErrorHandler(sendError);
  return app;
}

/** Paths outside of the API are read-only: methods other than GET and HEAD get 405. */
function refuseOtherMethods(app: FastifyInstance, { method, url, onRequest }: RouteOptions): void {
  if (method !== 'GET') return;
  const allow = 'GET, HEAD';
  const refuse: onRequestHookHandler = (_request, _reply, done) => done(methodNotAllowed(allow));
  app.route({
    method: app.supportedMethods.filter((other) => !allow.includes(other)),
    url,
    onRequest: [onRequest ?? [], refuse].flat(),
    handler: async () => {},
  });
}

function refuseSchema(): never {
  throw new Error('routes have no JSON schemas');
}

function createHttpServer(handle: RequestListener, { load, onShed, trustProxy }: AppOptions): HttpServer {
  const securing = (request: IncomingMessage) => strictTransport(request, trustProxy.length > 0);
  const shedding = shedLoad(handle, { ...load, securing }, onShed);
  const connections = oneAtATime(shedding.listener);
  const server = createServer(SERVER_OPTIONS, connections.listener);
  server.setTimeout(IDLE_TIMEOUT_MS);
  // A client may close its side after the request and still wait for the answer. Node has no option for this.
  Object.assign(server, { httpAllowHalfOpen: true });
  // Node would answer an unknown expectation with 417 and no body; RFC 9110 allows ignoring it.
  server.on('checkExpectation', connections.listener);
  server.on('connect', (request, socket) =>
    connections.end(socket, () => refuseConnect(socket, securing(request))),
  );
  server.on('clientError', (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else connections.end(socket, () => answerClientError(error, socket));
  });
  server.once('close', shedding.stop);
  return server;
}

/** Sends an error as its problem. The cause of a 5xx goes to the log. */
function errorSender(log: Logger) {
  const warn = limitWarnings(log, 1_000);
  return (error: Error, request: FastifyRequest, reply: FastifyReply): void => {
    const { id, raw, url } = request;
    const problem = problemOf(error, request);
    const { cause, code, status, message } = problem;
    if (status === 500) log.error({ request_id: id, err: cause }, message);
    else if (status > 500) warn(`${code} ${messagesOf(cause)}`, { request_id: id, err: cause }, message);
    const body = url.startsWith(`${APP_PATH}/`) ? problem.applicationBody : problem.body;
    const answer = () => void reply.code(status).headers(problem.headers).send(body);
    // What follows on the connection may not be the rest of the body.
    if ('connection' in problem.headers) return answer();
    afterBody(raw, (closing) => {
      // Fastify closes the connection after any fault of a body, whether the body was read or not.
      if (closing || closesAfter(raw)) reply.header('connection', 'close');
      else reply.removeHeader('connection');
      answer();
    });
  };
}

function messagesOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.message} ${messagesOf(cause.cause)}` : '';
}

/** Whether the connection ends with the answer. Nobody reads the body of a GET. */
function closesAfter(request: IncomingMessage): boolean {
  return asksForUpgrade(request) || (['GET', 'HEAD'].includes(request.method!) && hasBody(request));
}

/** What an error means to the caller. Anything unexpected is a defect, whose cause is only logged. */
function problemOf(error: Error, { is404 }: Pick<FastifyRequest, 'is404'>): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseUnavailable) return databaseUnavailable(error);
  switch ('code' in error ? error.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', `The body is larger than ${BODY_LIMITS.bytes} bytes (256 KiB)`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', 'Send the body as Content-Type: application/json');
    // The client disconnected while it sent its body: this is no defect, and nobody reads the response.
    case 'ECONNRESET':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed_request', 'The body is not as long as Content-Length says');
    case 'FST_ERR_BAD_URL':
      return new Problem('invalid_request', 'The path is not valid percent-encoding');
    default:
      if (!isRejection(error))
        return new Problem('internal_error', MEANINGS.internal_error, { cause: error });
      return is404 ? unknownPath() : new Problem('malformed_request', MEANINGS.malformed_request);
  }
}

/** Whether Fastify rejects a request, such as a QUERY without Content-Type. */
function isRejection(error: Error): boolean {
  const { code, statusCode = 500 } = error as Partial<FastifyError>;
  return String(code).startsWith('FST_ERR_') && statusCode < 500;
}

function databaseUnavailable(error: DatabaseUnavailable): Problem {
  return new Problem(
    'temporarily_unavailable',
    'The service is temporarily unavailable; wait as Retry-After says. A write may have been carried out: check before you repeat a note, a contact detail or a link',
    { cause: error, headers: { 'retry-after': '1' } },
  );
}

function rejectEncodings(headers: { 'content-encoding'?: string; 'content-type'?: string }): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body without Content-Encoding');
  }
  const charset = /;\s*charset="?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && !/^utf-?8$/i.test(charset)) {
    throw new Problem('unsupported_media_type', 'Send the body in UTF-8');
  }
}

/** Escapes the percent signs of a path that cannot be decoded, so that the endpoint's checks reject it. */
function escapeUndecodable(url: string): string {
  if (!url.includes('%')) return url;
  const [path = '', ...query] = url.split('?');
  return isDecodable(path) ? url : [path.replaceAll('%', '%25'), ...query].join('?');
}
