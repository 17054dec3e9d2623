import type { FastifyInstance } from 'fastify';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { readFile } from 'node:fs/promises';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { api, application, entrance } from './api.ts';
import { Waits } from './changes/waits.ts';
import type { Config } from './config.ts';
import { connect } from './db/connect.ts';
import { DemoRuns } from './demo/runs.ts';
import { findSchemaState } from './db/schema-state.ts';
import { findReadOnlyReason } from './db/read-only.ts';
import { createApp } from './http/app.ts';
import { createAsset, sendAsset, type Asset } from './http/assets.ts';
import { drainable } from './http/drain.ts';
import { createAdmission } from './http/admission.ts';
import { isFull, limitAddresses } from './http/guard.ts';
import { Repeats } from './http/idempotency.ts';
import type { LoadBounds } from './http/load.ts';
import { APP_PATH, BASE_PATH, mount, mountOpen } from './http/mount.ts';
import { serveProbes } from './http/probes.ts';
import { JSON_TYPE } from './http/protocol.ts';
import { rateLimiter } from './http/rate-limit.ts';
import type { OnAnswer } from './http/record.ts';
import { keyDirectory } from './keys/directory.ts';
import { createDatabaseMetrics } from './database-metrics.ts';
import { createMetrics, type Metrics } from './metrics.ts';
import { KeyUse } from './keys/use.ts';
import { refuseCrossSite } from './http/same-origin.ts';
import { openProvider } from './sessions/provider.ts';
import { sessionDirectory } from './sessions/directory.ts';
import { NOT_BUILT, readPages } from './pages/files.ts';
import { serveReference } from './pages/reference.ts';
import { servePages } from './pages/routes.ts';
import type { Register } from './register/register.ts';
import type { Tracer } from './tracing/work.ts';

/** The lag of the event loop from which responses are late, and several times the memory that a busy process uses. */
export const LOAD_BOUNDS = { lagMs: 20, memory: 1024 ** 3 };

export type Service = {
  app: FastifyInstance;
  /** What this process counts. */
  metrics: Metrics;
  /** Lets requests in progress finish, then closes the database connections. */
  close(): Promise<void>;
};

/** Puts the service together: no globals, and `close` ends everything it starts. The schema must be current. */
export function buildServer(options: {
  config: Pick<
    Config,
    | 'rateLimit'
    | 'databaseConnections'
    | 'trustProxy'
    | 'singleSignOn'
    | 'publicUrl'
    | 'slowRequestMs'
    | 'register'
  > &
    Partial<Pick<Config, 'backup'>>;
  databaseUrl: string;
  register: Register;
  log: Logger;
  load: Pick<LoadBounds, 'lagMs' | 'memory'>;
  /** The metrics of all processes, where there are several. */
  gatherMetrics?: (() => Promise<string>) | undefined;
  /** Undefined where no traces are sent. */
  tracer?: Tracer | undefined;
}): Service {
  const { config, databaseUrl, register, log, tracer } = options;
  const databaseMetrics = createDatabaseMetrics();
  const db = connect({
    url: databaseUrl,
    connections: config.databaseConnections,
    onIdleError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
    observer: databaseMetrics.observer,
  });
  const keys = keyDirectory(db, databaseUrl);
  const metrics = createMetrics(
    databaseMetrics,
    db,
    register,
    () => admission.waiting(),
    config.backup !== undefined,
  );
  const limits = config.rateLimit === 'off' ? undefined : createLimiters(config.rateLimit);
  const use = new KeyUse(db, (error) => log.error({ err: error }, 'the use of keys was not recorded'));
  const { onShed } = metrics;
  const onAnswer: OnAnswer = (response) => {
    metrics.onAnswer(response);
    use.count(response);
  };
  const { databaseConnections: connections, trustProxy, slowRequestMs } = config;
  const admission = createAdmission({ connections, isBehind: db.isBehind, onShed });
  const access = { credentials: keys, admission, limits };
  const load: LoadBounds = { ...options.load, isFull: (request) => isFull(access, request) };
  const pages = readPages(config.register);
  if (!pages) log.warn(NOT_BUILT);
  const app = createApp({
    log,
    onAnswer,
    onShed,
    slowRequestMs,
    tracer,
    limits,
    trustProxy,
    load,
  });
  const { drain } = drainable(app);

  const waits = new Waits(db);
  const demoRuns = new DemoRuns(db, log);
  const repeats = new Repeats(db);
  mount(app, BASE_PATH, api({ register, waits }), { ...access, repeats });
  const provider = config.singleSignOn && openProvider(config.singleSignOn, config.publicUrl);
  const people = sessionDirectory(db, (error) =>
    log.error({ err: error }, 'the use of a session was not recorded'),
  );
  const sessions = { ...access, credentials: people, refuse: refuseCrossSite };
  mount(app, APP_PATH, application({ register, waits, db, provider, demoRuns }), { ...sessions, repeats });
  mountOpen(app, APP_PATH, entrance({ db, provider }), { ...sessions, log });
  const onRequest = limitAddresses(limits);
  let description: Asset | undefined;
  app.get(`${BASE_PATH}/openapi.json`, { onRequest }, async (request, reply) =>
    sendAsset(request, reply, (description ??= await readDescription())),
  );
  serveReference(app, pages, onRequest);
  servePages(app, pages, onRequest);
  const { contentType } = metrics;
  const text = options.gatherMetrics ?? metrics.text;
  serveProbes(app, { findObstacle: () => findObstacle(db.pool), metrics: { contentType, text }, onRequest });

  return {
    app,
    metrics,
    async close() {
      waits.close();
      await drain();
      // The last answers are recorded at the end of this turn of the event loop.
      await endOfTurn();
      await use.flush();
      await demoRuns.close();
      await keys.close();
      await db.close();
    },
  };
}

/** Why the service cannot work on this database, or undefined if it can. */
async function findObstacle(pool: Pool): Promise<string | undefined> {
  const { state, found, advice } = await findSchemaState(pool);
  return state === 'current' ? findReadOnlyReason(pool) : `${found}: ${advice}`;
}

/** Reads openapi.json, which a test compares with the endpoints. */
async function readDescription(): Promise<Asset> {
  const bytes = await readFile(new URL('../openapi.json', import.meta.url));
  return createAsset({ type: JSON_TYPE, bytes, cacheControl: 'no-store' });
}

function createLimiters(limit: Exclude<Config['rateLimit'], 'off'>) {
  return { keys: rateLimiter('key', limit), addresses: rateLimiter('address', limit) };
}
