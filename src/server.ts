import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { readFile } from 'node:fs/promises';
import { api } from './api.ts';
import { Waits } from './changes/waits.ts';
import type { Config } from './config.ts';
import { connect } from './db/connect.ts';
import { findObstacle } from './db/readiness.ts';
import { createApp } from './http/app.ts';
import { createAsset, sendAsset, type Asset } from './http/assets.ts';
import { drainable } from './http/drain.ts';
import { limitStrangers } from './http/guard.ts';
import { Repeats } from './http/idempotency.ts';
import type { LoadBounds } from './http/load.ts';
import { BASE_PATH, mount } from './http/mount.ts';
import { Problem } from './http/problem.ts';
import { rateLimiter } from './http/rate-limit.ts';
import { keyDirectory } from './keys/directory.ts';
import { createMetrics } from './metrics.ts';
import { serveReference } from './reference/routes.ts';
import type { Register } from './register/register.ts';

/** The lag at which answers begin to be late, and several times the memory that a busy process was seen to take. */
export const LOAD_BOUNDS = { lagMs: 20, memory: 1024 ** 3 };

export type Server = {
  app: FastifyInstance;
  /** Lets requests under way finish, then lets go of the database. */
  close(): Promise<void>;
};

/**
 * Puts the service together; nothing is global and nothing is started but what `close` ends. The schema is
 * taken to be current.
 */
export function buildServer(options: {
  config: Pick<Config, 'rateLimit' | 'databaseConnections' | 'trustProxy'>;
  databaseUrl: string;
  register: Register;
  log: Logger;
  load: Pick<LoadBounds, 'lagMs' | 'memory'>;
}): Server {
  const { config, databaseUrl, register, log } = options;
  const db = connect({
    url: databaseUrl,
    connections: config.databaseConnections,
    onIdleError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
  });
  const keys = keyDirectory(db, databaseUrl);
  const metrics = createMetrics(db.pool, register);
  const limits = config.rateLimit === 'off' ? undefined : limitersOf(config.rateLimit);
  const { onAnswer, onShed } = metrics;
  const load = { ...options.load, isBehind: db.isBehind };
  const app = createApp({ log, onAnswer, onShed, limits, trustProxy: config.trustProxy, load });
  const { drain } = drainable(app);
  const waits = new Waits(db);
  const endpoints = api({ register, waits });
  mount(app, endpoints, { keys, limits, repeats: new Repeats(db) });

  const onRequest = limitStrangers(limits);
  const description = describe();
  app.get(`${BASE_PATH}/openapi.json`, { onRequest }, async (request, reply) =>
    sendAsset(request, reply, await description()),
  );
  serveReference(app, onRequest);

  app.get('/healthz', () => ({ status: 'ok' }));
  const lookForObstacle = shared(() => answerOf(findObstacle(db.pool)));
  app.get('/readyz', async () => {
    const obstacle = await lookForObstacle();
    if (obstacle !== undefined) throw notReady(obstacle);
    return { status: 'ok' };
  });
  const renderMetrics = shared(() => metrics.text());
  app.get('/metrics', { onRequest }, async (_, reply) =>
    reply.type(metrics.contentType).send(await renderMetrics()),
  );

  return {
    app,
    async close() {
      waits.close();
      await drain();
      await keys.close();
      await db.close();
    },
  };
}

/** Reads the description of the interface once; a test holds the file to the endpoints. */
function describe(): () => Promise<Asset> {
  let described: Promise<Asset> | undefined;
  return () => (described ??= readDescription());
}

async function readDescription(): Promise<Asset> {
  const bytes = await readFile(new URL('../openapi.json', import.meta.url));
  return createAsset({ type: 'application/json; charset=utf-8', bytes, cacheControl: 'no-store' });
}

function limitersOf(limit: Exclude<Config['rateLimit'], 'off'>) {
  return { keys: rateLimiter('key', limit), addresses: rateLimiter('address', limit) };
}

/** Milliseconds for which one answer serves everyone who probes. */
const PROBE_TTL = 250;

/** However many ask, `look` is called again only when its last answer has served for a while. */
function shared<T>(look: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  return () => {
    if (last) return last;
    last = look();
    const forget = () => setTimeout(() => (last = undefined), PROBE_TTL).unref();
    last.then(forget, forget);
    return last;
  };
}

/** A probe must not hang with the database: whatever takes longer than a second is not ready. */
async function answerOf<T>(asked: Promise<T>): Promise<T> {
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no answer within a second')), 1_000).unref();
  });
  try {
    return await Promise.race([asked, late]);
  } catch (cause) {
    throw notReady('the database does not answer', cause);
  }
}

function notReady(message: string, cause?: unknown): Problem {
  return new Problem('temporarily_unavailable', `Not ready: ${message}`, {
    cause,
    headers: { 'retry-after': '1' },
  });
}
