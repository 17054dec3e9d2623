import cluster, { type Worker } from 'node:cluster';
import type { Logger } from 'pino';
import { AggregatorRegistry, Counter, Gauge, Registry } from 'prom-client';
import { CommandError } from '../cli/output.ts';

/** A worker that never listened is replaced more slowly: the next one may fail as well. */
const SLOW_REPLACEMENT_MS = 1_000;
/** Longer than a worker takes to finish its requests. */
const MAX_STOP_MS = 20_000;
/** A worker that does not report its metrics within this time counts with those it reported last. */
const METRICS_TIMEOUT_MS = 2_000;

type FromWorker =
  | { kind: 'failed'; reason: string }
  /** Asks for the metrics of all workers. */
  | { kind: 'gather'; id: number }
  | { kind: 'metrics'; id: number; values: object[] };

type ToWorker = { kind: 'metrics?'; id: number } | { kind: 'gathered'; id: number; text: string };

/**
 * Starts processes that answer requests on one port, and replaces those that end, until `stops` is disposed.
 * @param options.environment variables that only workers have
 * @param options.onFailure called when a replacement cannot start for a reason that waiting would not fix
 * @returns the port
 * @throws {CommandError} when one of the first workers cannot start
 */
export async function startWorkers(
  options: {
    count: number;
    environment: Record<string, string>;
    log: Logger;
    onFailure: (error: Error) => void;
  },
  stops: AsyncDisposableStack,
): Promise<number> {
  const { count, environment, log } = options;
  const stopping = new AbortController();
  const running = new Map<Worker, Promise<unknown>>();
  const listening = new Set<Worker>();
  const { gather, receive, keep, countReplacement } = gatherer(listening);
  const started = Promise.withResolvers<number>();
  let fail: (error: Error) => void = started.reject;

  function launch(): void {
    if (stopping.signal.aborted) return;
    const worker = cluster.fork(environment);
    let reason: string | undefined;
    running.set(worker, new Promise((resolve) => worker.once('exit', resolve)));
    worker.on('error', (error) => {
      log.warn({ err: error, worker: worker.id }, 'a worker could not be reached');
      // Where memory or file handles ran out, no process was started, so none will exit.
      if (worker.process.pid === undefined) replace(worker, { status: null, signal: null, reason });
    });
    worker.on('message', (message: FromWorker) => {
      if (message.kind === 'failed') reason = message.reason;
      else if (message.kind === 'metrics') receive(message);
      else void gather().then((text) => send(worker, { kind: 'gathered', id: message.id, text }));
    });
    worker.on('listening', ({ port }) => {
      listening.add(worker);
      if (listening.size === count) started.resolve(port);
    });
    worker.on('exit', (status, signal) => {
      const end = () => replace(worker, { status, signal, reason });
      // Its last message may still be on its way.
      if (worker.isConnected()) worker.once('disconnect', end);
      else end();
    });
  }

  function replace(
    worker: Worker,
    { signal, status, reason }: { status: number | null; signal: string | null; reason: string | undefined },
  ): void {
    running.delete(worker);
    const hasListened = listening.delete(worker);
    keep(worker);
    if (stopping.signal.aborted) return;
    if (reason !== undefined) return fail(new CommandError(reason));
    if (!hasListened && status !== null)
      return fail(new CommandError(`A worker exited with status ${status} while it started`));
    log.error({ worker: worker.id, status, signal }, 'a worker ended; another one takes its place');
    countReplacement();
    // While there is no worker, only this timer keeps the primary process running.
    setTimeout(launch, hasListened ? 0 : SLOW_REPLACEMENT_MS);
  }

  async function stop(): Promise<void> {
    stopping.abort();
    for (const worker of running.keys()) worker.process.kill('SIGTERM');
    const late = setTimeout(() => {
      for (const worker of running.keys()) worker.process.kill('SIGKILL');
    }, MAX_STOP_MS);
    await Promise.all(running.values());
    clearTimeout(late);
  }

  // Workers accept from one queue. Node's own round robin passes new connections to a dead worker until it notices,
  // and those are never answered.
  cluster.schedulingPolicy = cluster.SCHED_NONE;
  cluster.setupPrimary({ serialization: 'advanced' });
  stops.defer(stop);
  for (let number = 0; number < count; number++) launch();
  const port = await started.promise;
  fail = options.onFailure;
  return port;
}

/** The metrics that only grow while a process runs. Their sums must not fall: that would look like a restart. */
const counted = (values: object[]): object[] =>
  values.filter((one) => 'type' in one && ['counter', 'histogram'].includes(String(one.type)));

/** Adds up the metrics of the workers that listen, and counts these workers. The sums include ended workers. */
function gatherer(listening: ReadonlySet<Worker>) {
  const registry = new Registry();
  const help = 'Workers that answer requests';
  const workers: Gauge = new Gauge({
    name: 'kundebok_workers',
    help,
    registers: [registry],
    collect: () => workers.set(listening.size),
  });
  const replaced = new Counter({
    name: 'kundebok_workers_replaced_total',
    help: 'Workers that ended by themselves or were killed, and were replaced',
    registers: [registry],
  });
  const awaited = new Map<number, (values: object[]) => void>();
  const last = new Map<Worker, object[]>();
  let ofEnded: Promise<object[]> = Promise.resolve([]);
  let questions = 0;

  async function ask(worker: Worker): Promise<object[]> {
    const id = ++questions;
    // The worker may end before it answers.
    const before = last.get(worker) ?? [];
    const { promise, resolve } = Promise.withResolvers<object[] | undefined>();
    awaited.set(id, resolve);
    setTimeout(resolve, METRICS_TIMEOUT_MS, undefined).unref();
    send(worker, { kind: 'metrics?', id });
    const values = await promise;
    awaited.delete(id);
    if (values && listening.has(worker)) last.set(worker, counted(values));
    return values ?? before;
  }

  return {
    gather: async (): Promise<string> => {
      const all = [registry.getMetricsAsJSON(), ...[...listening].map(ask), ofEnded];
      return AggregatorRegistry.aggregate(await Promise.all(all)).metrics();
    },
    /** Keeps what a worker that has ended had counted. */
    keep: (worker: Worker): void => {
      const values = last.get(worker);
      last.delete(worker);
      if (!values) return;
      ofEnded = ofEnded.then((sum) => AggregatorRegistry.aggregate([sum, values]).getMetricsAsJSON());
    },
    receive: ({ id, values }: { id: number; values: object[] }) => awaited.get(id)?.(values),
    countReplacement: () => replaced.inc(),
  };
}

/** Sends nothing to a worker that has just been killed. */
function send(worker: Worker, message: ToWorker): void {
  if (worker.isConnected()) worker.send(message, () => {});
}

/** Tells the primary process why this worker cannot start, which stops the service. */
export function reportFailure(reason: string): Promise<void> {
  return new Promise((resolve) => tell({ kind: 'failed', reason }, () => resolve()));
}

/** The metrics of all workers, to be called in a worker. */
export function gatherFromAll(): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const id = ++asked;
  const receive = (message: ToWorker) => {
    if (message.kind !== 'gathered' || message.id !== id) return;
    process.off('message', receive);
    resolve(message.text);
  };
  process.on('message', receive);
  tell({ kind: 'gather', id });
  return promise;
}

/** Reports the metrics of this worker whenever they are gathered. */
export function giveMetrics(collect: () => Promise<object[]>): void {
  process.on('message', (message: ToWorker) => {
    if (message.kind !== 'metrics?') return;
    void collect().then((values) => tell({ kind: 'metrics', id: message.id, values }));
  });
}

let asked = 0;

function tell(message: FromWorker, onSent: () => void = () => {}): void {
  process.send!(message, undefined, {}, onSent);
}
