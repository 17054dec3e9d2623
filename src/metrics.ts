import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from 'pg';
import type { OnAnswer } from './http/app.ts';

export type Metrics = {
  registry: Registry;
  /** Counts an answered request. */
  onAnswer: OnAnswer;
};

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Metrics of one process for Prometheus; labels hold routes, never ids. */
export function createMetrics(pool: Pool): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  poolGauge(registry, pool);
  // A look-up by three labels costs more than the observation; the pairs seen are few.
  const seen = new Map<string, ReturnType<typeof durations.labels>>();
  return {
    registry,
    onAnswer({ method, route, status, milliseconds }) {
      const id = `${method} ${status} ${route}`;
      let observed = seen.get(id);
      if (!observed) {
        observed = durations.labels({ method, route, status });
        seen.set(id, observed);
      }
      observed.observe(milliseconds / 1000);
    },
  };
}

function poolGauge(registry: Registry, pool: Pool): void {
  const gauge = new Gauge({
    name: 'database_connections',
    help: 'Connections to PostgreSQL, and requests that wait for one',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      gauge.set({ state: 'busy' }, pool.totalCount - pool.idleCount);
      gauge.set({ state: 'idle' }, pool.idleCount);
      gauge.set({ state: 'waiting' }, pool.waitingCount);
    },
  });
}
