import { createServer, type RequestListener, type Server, type ServerOptions } from 'node:http';
import { fastify, type FastifyError, type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { DatabaseUnavailable } from '../db/unavailable.ts';
import { answerClientError, refuseConnect, type ParserError } from './client-error.ts';
import { chargeUnannounced, KNOWN, knownOf, type Known, type Limits } from './guard.ts';
import { answerLog } from './answer-log.ts';
import { BODY_LIMITS, parseJsonBody } from './json-body.ts';
import { oneAtATime } from './pipelining.ts';
import { Problem } from './problem.ts';
import { asksForUpgrade, checkProtocol } from './protocol.ts';
import { limitWarnings, type Warn } from '../repeated-warnings.ts';
import { SECURITY_HEADERS, STRICT_TRANSPORT_SECURITY } from './security-headers.ts';
import { requestIdOf } from './request-id.ts';
import { shedLoad, type LoadBounds, type OnShed } from './load.ts';

/** Milliseconds a client may take for its whole request, and a connection may stay silent. */
const REQUEST_TIMEOUT = 30_000;
const IDLE_TIMEOUT = 75_000;

const SERVER_OPTIONS: ServerOptions = {
  requestTimeout: REQUEST_TIMEOUT,
  headersTimeout: REQUEST_TIMEOUT,
  keepAliveTimeout: IDLE_TIMEOUT,
  connectionsCheckingInterval: 2_000,
  // A missing Host is refused by `checkProtocol` instead, in the shape of every other error.
  requireHostHeader: false,
  shouldUpgradeCallback: () => false,
};

/** Told of every request that was answered. */
export type OnAnswer = (answer: {
  method: string;
  route: string;
  status: number;
  /** From the request's first byte to the answer's last, in milliseconds. */
  milliseconds: number;
}) => void;

export type AppOptions = {
  log: Logger;
  onAnswer: OnAnswer;
  onShed: OnShed;
  /** Undefined when rate limiting is off. */
  limits: Limits | undefined;
  /** Addresses and networks of proxies whose X-Forwarded headers are believed; empty for none. */
  trustProxy: readonly string[];
  /** Past these, requests are turned away with 503. */
  load: LoadBounds;
};

/**
 * An HTTP server that speaks JSON, answers every fault in the one error shape and logs one line a request.
 * It knows no route.
 */
export function createApp(options: AppOptions): FastifyInstance {
  const { log, onAnswer, limits, trustProxy } = options;
  const warn = limitWarnings(log, 1_000);
  const app = fastify({
    loggerInstance: undefined,
    bodyLimit: BODY_LIMITS.bytes,
    trustProxy: trustProxy.length > 0 && [...trustProxy],
    serverFactory: (handle) => createHttpServer(handle, options),
    rewriteUrl: (request) => decodable(request.url ?? '/'),
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    genReqId: requestIdOf,
    // Longer than any address Node takes: `checkProtocol` refuses those that are too long.
    routerOptions: { maxParamLength: 65_536 },
    frameworkErrors: (error, request, reply) => sendError(log, warn, error, request.id, reply),
    // The server's own listener knows what is still to be answered on a connection.
    clientErrorHandler: () => {},
  });

  const logAnswer = answerLog(log);
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, bytes, done) => {
    try {
      refuseEncodings(request.headers);
      chargeUnannounced(limits, request, bytes.length);
      done(null, parseJsonBody(bytes as Buffer));
    } catch (error) {
      done(error as Error);
    }
  });

  app.decorateRequest(KNOWN);
  app.addHook('onRequest', (request, reply, done) => {
    const known: Known = { route: '*', caller: undefined };
    (request as unknown as { [KNOWN]: Known })[KNOWN] = known;
    reply.header('x-request-id', request.id);
    reply.header('cache-control', 'no-store');
    reply.headers(SECURITY_HEADERS);
    if (trustProxy.length > 0 && request.protocol === 'https') {
      reply.header('strict-transport-security', STRICT_TRANSPORT_SECURITY);
    }
    if (asksForUpgrade(request.raw)) reply.header('connection', 'close');
    done(checkProtocol(request.raw));
  });
  app.addHook('onResponse', (request, reply, done) => {
    const { route, caller } = knownOf(request);
    const milliseconds = reply.elapsedTime;
    onAnswer({ method: request.method, route, status: reply.statusCode, milliseconds });
    logAnswer?.({
      requestId: request.id,
      caller,
      method: request.method,
      route,
      status: reply.statusCode,
      milliseconds,
    });
    done();
  });
  app.setErrorHandler((error: FastifyError, request, reply) =>
    sendError(log, warn, error, request.id, reply),
  );
  app.setNotFoundHandler(() => {
    throw new Problem('not_found', 'No such path; the interface is below /api/v1 and described at /docs');
  });
  return app;
}

function createHttpServer(handle: RequestListener, { load, onShed }: AppOptions): Server {
  const shedding = shedLoad(handle, load, onShed);
  const connections = oneAtATime(shedding.listener);
  const server = createServer(SERVER_OPTIONS, connections.listener);
  server.setTimeout(IDLE_TIMEOUT);
  // Node would answer an expectation it does not know with 417 and no body; RFC 9110 lets it be ignored.
  server.on('checkExpectation', connections.listener);
  server.on('connect', (_, socket) => connections.end(socket, () => refuseConnect(socket)));
  server.on('clientError', (error: ParserError, socket) => {
    if (error.code === 'ECONNRESET') socket.destroy();
    else connections.end(socket, () => answerClientError(error, socket));
  });
  server.once('close', shedding.stop);
  return server;
}

function sendError(log: Logger, warn: Warn, error: Error, requestId: string, reply: FastifyReply): void {
  const problem = problemOf(error);
  const { cause, code } = problem;
  if (problem.status === 500) log.error({ request_id: requestId, err: cause }, problem.message);
  else if (problem.status > 500) {
    warn(`${code} ${reasonOf(cause)}`, { request_id: requestId, err: cause }, problem.message);
  }
  void reply.code(problem.status).headers(problem.headers).send(problem.body);
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? `${cause.message} ${reasonOf(cause.cause)}` : '';
}

/** What an error means to the caller. Anything unforeseen is a defect: its cause goes to the log alone. */
function problemOf(error: Error): Problem {
  if (error instanceof Problem) return error;
  if (error instanceof DatabaseUnavailable) return databaseUnavailable(error);
  switch ('code' in error ? error.code : undefined) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new Problem('payload_too_large', `The body is larger than ${BODY_LIMITS.bytes} bytes (256 KiB)`);
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem('unsupported_media_type', 'Send the body as Content-Type: application/json');
    // The client hung up within its body; nobody hears this, but it is no defect either.
    case 'ECONNRESET':
    case 'FST_ERR_CTP_INVALID_CONTENT_LENGTH':
      return new Problem('malformed_request', 'The body is not as long as Content-Length says');
    case 'FST_ERR_BAD_URL':
      return new Problem('invalid_request', 'The address is not valid percent-encoding');
    default:
      return new Problem(
        'internal_error',
        'The request failed; for a write, check the outcome before retrying',
        {
          cause: error,
        },
      );
  }
}

function databaseUnavailable(error: DatabaseUnavailable): Problem {
  return new Problem(
    'temporarily_unavailable',
    'The service cannot answer just now; wait as Retry-After says. A write may have been carried out: check before you repeat a note, a contact detail or a link',
    { cause: error, headers: { 'retry-after': '1' } },
  );
}

function refuseEncodings(headers: { 'content-encoding'?: string; 'content-type'?: string }): void {
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding.toLowerCase() !== 'identity') {
    throw new Problem('unsupported_media_type', 'Send the body without Content-Encoding');
  }
  const charset = /;\s*charset="?([\w-]+)/i.exec(headers['content-type'] ?? '')?.[1];
  if (charset !== undefined && charset.toLowerCase() !== 'utf-8') {
    throw new Problem('unsupported_media_type', 'Send the body in UTF-8');
  }
}

/** An address whose percent signs mean nothing keeps them as signs, so that the usual checks refuse it. */
function decodable(url: string): string {
  if (!url.includes('%')) return url;
  try {
    decodeURIComponent(url.split('?')[0]!);
    return url;
  } catch {
    const [path = '', ...query] = url.split('?');
    return [path.replaceAll('%', '%25'), ...query].join('?');
  }
}
