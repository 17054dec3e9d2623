import type { Logger } from 'pino';
import { companiesFollow } from '../companies/follow-register.ts';
import type { Config } from '../config.ts';
import { CommandError } from '../cli/output.ts';
import { connect } from '../db/connect.ts';
import { openRegister } from '../register/open.ts';
import type { Register } from '../register/register.ts';
import { buildServer, LOAD_BOUNDS, type Service } from '../server.ts';
import { startTracing } from '../tracing/opentelemetry.ts';
import { REGISTER_CONNECTIONS } from './connections.ts';

/**
 * Answers requests until `stops` is disposed.
 * @param options.gatherMetrics the metrics of all processes, where there are several
 */
export async function answerRequests(
  options: {
    config: Config;
    release: string;
    databaseUrl: string;
    register: Register;
    log: Logger;
    gatherMetrics?: () => Promise<string>;
  },
  stops: AsyncDisposableStack,
): Promise<{ port: number; metrics: Service['metrics'] }> {
  const { tracing } = options.config;
  const tracer = tracing && (await startTracing(tracing, options));
  stops.defer(() => tracer?.stop());
  const server = buildServer({ ...options, tracer, load: LOAD_BOUNDS });
  stops.defer(() => server.close());
  return { port: await listen(server, options.config), metrics: server.metrics };
}

/**
 * Look-ups and syncs have connections of their own, so that they and requests do not wait for each other.
 * @param syncs whether this process keeps the mirror current
 */
export function openOwnRegister(
  config: Config,
  databaseUrl: string,
  log: Logger,
  { syncs }: { syncs: boolean },
): { register: Register; stop: () => Promise<void> } {
  const db = connect({
    url: databaseUrl,
    connections: REGISTER_CONNECTIONS,
    onIdleError: (error) => log.warn({ reason: error.message }, 'an idle database connection broke'),
  });
  const { register, stop } = openRegister({
    config,
    db,
    databaseUrl,
    followers: companiesFollow,
    syncs,
    onSyncError: (error) => log.warn({ err: error }, 'the sync of the mirror of the register failed'),
  });
  return {
    register,
    stop: async () => {
      await stop();
      await db.close();
    },
  };
}

/** @returns the port */
async function listen(server: Service, { host, port }: Config): Promise<number> {
  try {
    await server.app.listen({ host, port });
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'EADDRINUSE') {
      throw new CommandError(`Port ${port} on ${host} is taken: stop what uses it, or set PORT`, {
        cause: error,
      });
    }
    if (code === 'EACCES' || code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
      throw new CommandError(`The service cannot listen on ${host}:${port} (${code}): set HOST and PORT`, {
        cause: error,
      });
    }
    throw error;
  }
  const bound = server.app.server.address();
  return typeof bound === 'object' && bound !== null ? bound.port : port;
}
