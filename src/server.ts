import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { api } from './api.ts';
import type { Config } from './config.ts';
import { connect } from './db/connect.ts';
import { findObstacle } from './db/readiness.ts';
import { createApp } from './http/app.ts';
import { drainable } from './http/drain.ts';
import { BASE_PATH, mount } from './http/mount.ts';
import { describeApi } from './http/openapi.ts';
import { Problem } from './http/problem.ts';
import { rateLimiter } from './http/rate-limit.ts';
import { keyDirectory } from './keys/directory.ts';
import { createMetrics } from './metrics.ts';
import { serveReference } from './reference.ts';
import type { Register } from './register/register.ts';

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
  config: Pick<Config, 'rateLimit' | 'databaseConnections'>;
  databaseUrl: string;
  register: Register;
  log: Logger;
}): Server {
  const { config, databaseUrl, register, log } = options;
  const db = connect({
    url: databaseUrl,
    connections: config.databaseConnections,
    onIdleError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
  });
  const keys = keyDirectory(db, databaseUrl);
  const metrics = createMetrics(db.pool, register);
  const app = createApp({ log, onAnswer: metrics.onAnswer });
  const { drain } = drainable(app);
  const endpoints = api({ register });
  mount(app, endpoints, {
    findCaller: keys.findCaller,
    limits: config.rateLimit === 'off' ? undefined : limitersOf(config.rateLimit),
  });

  const description = JSON.stringify(describeApi(endpoints, BASE_PATH));
  app.get(`${BASE_PATH}/openapi.json`, (_, reply) => reply.type('application/json').send(description));
  serveReference(app, `${BASE_PATH}/openapi.json`);

  app.get('/healthz', () => ({ status: 'ok' }));
  app.get('/readyz', async () => {
    const obstacle = await answerOf(findObstacle(db.pool));
    if (obstacle !== undefined) throw notReady(obstacle);
    return { status: 'ok' };
  });
  app.get('/metrics', async (_, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );

  return {
    app,
    async close() {
      await drain();
      await keys.close();
      await db.close();
    },
  };
}

function limitersOf(limit: Exclude<Config['rateLimit'], 'off'>) {
  return { keys: rateLimiter('key', limit), addresses: rateLimiter('address', limit) };
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
