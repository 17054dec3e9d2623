import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { Pool } from 'pg';
import type { OnAnswer } from './http/app.ts';
import { SHED_REASONS, type OnShed } from './http/load.ts';
import type { Register } from './register/register.ts';

export type Metrics = {
  /** The content type of `text`. */
  contentType: string;
  /** All metrics as Prometheus reads them. */
  text(): Promise<string>;
  /** Counts an answered request. */
  onAnswer: OnAnswer;
  /** Counts a request that was turned away. */
  onShed: OnShed;
};

type Series = Histogram.Internal<'method' | 'route' | 'status'>;

const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics of one process for Prometheus; labels hold routes, never ids.
 * @param requestsWaiting how many requests wait for their turn
 */
export function createMetrics(pool: Pool, register: Register, requestsWaiting: () => number): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from a request to its answer',
    labelNames: ['method', 'route', 'status'],
    buckets: SECONDS,
    registers: [registry],
  });
  const shed = new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests turned away with 503 because the process had too much to do',
    labelNames: ['reason'],
    registers: [registry],
  });
  const waiting: Gauge = new Gauge({
    name: 'http_requests_waiting',
    help: 'Requests that wait for their turn, because their key has many under way or the process is behind',
    registers: [registry],
    collect: () => waiting.set(requestsWaiting()),
  });
  poolGauge(registry, pool);
  registerGauges(registry, register);
  // Finding the series by its labels costs more than the observation, and so does putting a key together.
  const seen = new Map<string, Map<string, Series[]>>();

  function seriesOf(method: string, route: string, status: number): Series {
    const methods = seen.getOrInsertComputed(route, () => new Map<string, Series[]>());
    const series = methods.getOrInsertComputed(method, () => []);
    return (series[status] ??= durations.labels({ method, route, status }));
  }

  // A series that begins at 0 shows its first increase.
  for (const reason of SHED_REASONS) shed.inc({ reason }, 0);
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    onShed: (reason) => shed.inc({ reason }),
    onAnswer({ method, route, status, milliseconds }) {
      seriesOf(method, route, status).observe(milliseconds / 1000);
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

const REGISTER_GAUGES = {
  breaker_open: '1 while the national register is not asked because it is down, 0.5 while it is tried again',
  calls_under_way: 'Look-ups at the national register under way',
  calls_in_line: 'Look-ups that wait for their turn',
  units_kept: 'Units in the mirror of the register, about',
  copy_age_seconds: 'Since the moment to which the mirror of the register is known to be current',
  sync_failing: '1 while the last sync of the mirror failed',
  unit_feed_silent_seconds: 'Since the last entry of the feed of unit changes',
  branch_feed_silent_seconds: 'Since the last entry of the feed of branch changes',
  numbers_set_aside: 'Numbers that cannot be looked up while others can',
};

/**
 * One look at the register's state serves all its gauges; while the database is away they show the last. What
 * there is nothing to say of, such as a mirror that was never made, has no value at all.
 */
function registerGauges(registry: Registry, register: Register): void {
  let look: Promise<Awaited<ReturnType<Register['status']>> | undefined> | undefined;
  const statusOnce = () =>
    (look ??= register
      .status()
      .catch(() => undefined)
      .finally(() => (look = undefined)));

  for (const [name, help] of Object.entries(REGISTER_GAUGES)) {
    const gauge: Gauge = new Gauge({
      name: `register_${name}`,
      help,
      registers: [registry],
      async collect() {
        const status = await statusOnce();
        const value = status?.gauges[name];
        if (value !== undefined) gauge.set(value);
        else if (status) gauge.remove();
      },
    });
    gauge.remove();
  }
  const read: Gauge = new Gauge({
    name: 'register_status_read',
    help: 'Whether the state of the register could be read just now',
    registers: [registry],
    async collect() {
      read.set((await statusOnce()) ? 1 : 0);
    },
  });
}
