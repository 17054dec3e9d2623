import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import { Problem } from './problem.ts';

/** How long a readiness check may take: a probe must not hang with the database. */
const CHECK_TIMEOUT_MS = 1_000;

/** How long one result is reused. */
const RESULT_TTL_MS = 250;

/**
 * Serves `/healthz` (the process answers), `/readyz` (it can serve requests) and `/metrics`.
 * @param options.findObstacle what keeps the service from serving requests, undefined for nothing
 */
export function serveProbes(
  app: FastifyInstance,
  options: {
    findObstacle: () => Promise<string | undefined>;
    metrics: { contentType: string; text: () => Promise<string> };
    onRequest: onRequestHookHandler;
  },
): void {
  const { metrics, onRequest } = options;
  app.get('/healthz', () => ({ status: 'ok' }));

  const findObstacle = shareResult(() => withTimeout(options.findObstacle()));
  app.get('/readyz', async () => {
    const obstacle = await findObstacle();
    if (obstacle !== undefined) throw notReady(obstacle);
    return { status: 'ok' };
  });

  const renderMetrics = shareResult(() => metrics.text());
  app.get('/metrics', { onRequest }, async (_, reply) =>
    reply.type(metrics.contentType).send(await renderMetrics()),
  );
}

/** Calls `produce` again only when its last result is older than RESULT_TTL_MS, however many callers there are. */
function shareResult<T>(produce: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  return () => {
    if (last) return last;
    last = produce();
    const forget = () => setTimeout(() => (last = undefined), RESULT_TTL_MS).unref();
    last.then(forget, forget);
    return last;
  };
}

async function withTimeout<T>(check: Promise<T>): Promise<T> {
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('no answer within a second')), CHECK_TIMEOUT_MS).unref();
  });
  try {
    return await Promise.race([check, timeout]);
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
