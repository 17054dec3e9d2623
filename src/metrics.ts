import { collectDefaultMetrics, Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { findBackupState } from './backup/state.ts';
import {
  addPoolGauge,
  addUseGauges,
  readForScrape,
  withinScrape,
  type DatabaseMetrics,
} from './database-metrics.ts';
import { RELEASE } from './config.ts';
import type { Database } from './db/connect.ts';
import { SHED_REASONS, type OnShed } from './http/load.ts';
import type { OnAnswer } from './http/record.ts';
import type { Register } from './register/register.ts';

export type Metrics = {
  /** Content type of `text`. */
  contentType: string;
  /** All metrics in Prometheus's text format. */
  text: () => Promise<string>;
  /** The same metrics as values, to be combined with those of other processes. */
  values: () => Promise<object[]>;
  /** Records a response. */
  onAnswer: OnAnswer;
  /** Counts a rejected request. */
  onShed: OnShed;
};

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Metrics of one process; labels hold route patterns, never ids.
 * @param requestsWaiting how many requests wait for their turn
 * @param makesBackups whether the service makes backups by itself
 */
export function createMetrics(
  { registry, hasAnswered }: DatabaseMetrics,
  db: Database,
  register: Register,
  requestsWaiting: () => number,
  makesBackups: boolean,
): Metrics {
  collectDefaultMetrics({ register: registry });
  // Of several workers, the largest lag counts.
  for (const { name } of registry.getMetricsAsArray())
    if (name.startsWith('nodejs_eventloop_lag'))
      Object.assign(registry.getSingleMetric(name)!, { aggregator: 'max' });
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'Time from the arrival of a request to the end of its response',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [registry],
  });
  // A series of `durations` only begins with its first 500, so an alert on its increase would miss that one.
  const defects = new Counter({
    name: 'http_defects_total',
    help: 'Requests answered with 500',
    registers: [registry],
  });
  const shed = new Counter({
    name: 'http_requests_shed_total',
    help: 'Requests rejected with 503 because the process was overloaded',
    labelNames: ['reason'],
    registers: [registry],
  });
  const waiting: Gauge = new Gauge({
    name: 'http_requests_waiting',
    help: 'Requests that wait for their turn, because their key has many in progress or others wait for the database',
    registers: [registry],
    collect: () => waiting.set(requestsWaiting()),
  });
  addBuildInfo(registry);
  addPoolGauge(registry, db.pool);
  const updateUseGauges = addUseGauges(registry, db, hasAnswered);
  const updateRegisterGauges = addRegisterGauges(registry, register);
  const updateBackupGauges = makesBackups ? addBackupGauges(registry, db) : undefined;
  // A series that starts at 0 shows its first increase.
  for (const reason of SHED_REASONS) shed.inc({ reason }, 0);
  const update = () => Promise.all([updateUseGauges(), updateRegisterGauges(), updateBackupGauges?.()]);
  return {
    contentType: registry.contentType,
    async text() {
      await update();
      return registry.metrics();
    },
    async values() {
      await update();
      return registry.getMetricsAsJSON();
    },
    onShed: (reason) => shed.inc({ reason }),
    onAnswer({ method, route, status, milliseconds }) {
      durations.observe({ method, route, status }, milliseconds / 1000);
      if (status === 500) defects.inc();
    },
  };
}

function addBuildInfo(registry: Registry): void {
  new Gauge({
    name: 'kundebok_build_info',
    help: 'Always 1; the labels say which release answers, on which Node',
    labelNames: ['version', 'node'],
    registers: [registry],
    aggregator: 'first',
  }).set({ version: RELEASE, node: process.version }, 1);
}

const REGISTER_GAUGES = {
  breaker_open: '1 while the circuit breaker of the national register is open, 0.5 while it is half open',
  calls_under_way: 'Look-ups at the national register in progress',
  calls_in_line: 'Look-ups at the national register waiting for their turn',
  units_kept: 'Approximate number of units in the mirror of the register',
  mirror_age_seconds: 'Age of the mirror: time since the moment to which it is known to be current',
  sync_failing: '1 while the last sync of the mirror failed',
  unit_feed_silent_seconds: 'Time since the last entry of the feed of unit changes',
  branch_feed_silent_seconds: 'Time since the last entry of the feed of branch changes',
  numbers_set_aside: 'Organisation numbers whose look-up fails while others succeed',
};

/**
 * @returns a function that updates the gauges from one status of the register. While the database is unavailable they
 * keep their last values; a gauge that does not apply, such as the age of a mirror that does not exist, has none.
 */
function addRegisterGauges(registry: Registry, register: Register): () => Promise<void> {
  const add = (name: string, help: string) =>
    new Gauge({
      name: `register_${name}`,
      help,
      registers: [registry],
      // Calls and the breaker belong to one process; all else is read from the database.
      aggregator: name.startsWith('calls_') ? 'sum' : name === 'status_read' ? 'min' : 'max',
    });
  const gauges = Object.entries(REGISTER_GAUGES).map(([name, help]) => ({ name, gauge: add(name, help) }));
  const read = add('status_read', '1 if the state of the register could be read, else 0');
  for (const { gauge } of gauges) gauge.remove();

  return async () => {
    const status = await withinScrape(register.status());
    read.set(status ? 1 : 0);
    if (!status) return;
    for (const { name, gauge } of gauges) {
      const value = status.gauges[name];
      if (value === undefined) gauge.remove();
      else gauge.set(value);
    }
  };
}

/** @returns a function that updates the gauges; while the database is unavailable they keep their last values */
function addBackupGauges(registry: Registry, db: Database): () => Promise<void> {
  const add = (name: string, help: string) =>
    new Gauge({ name: `backup_${name}`, help, registers: [registry], aggregator: 'max' });
  const failing = add('failing', '1 while the last attempt to make a backup failed');
  const age = add('age_seconds', 'Time since the moment that the newest backup holds');
  const bytes = add('bytes', 'Size of the newest backup');
  age.remove();
  bytes.remove();
  return async () => {
    const state = await readForScrape(db, findBackupState);
    if (!state) return;
    failing.set(state.is_failing ? 1 : 0);
    // The age is negative after PostgreSQL's clock was set back.
    if (state.age !== null) age.set(Math.max(0, state.age));
    if (state.bytes !== null) bytes.set(state.bytes);
  };
}
