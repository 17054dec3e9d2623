import type { EventEmitter } from 'node:events';
import autocannon, { type Request, type Result } from 'autocannon';
import { REQUESTS, type CaseName, type Sent } from './cases.ts';
import type { BenchWorkspace } from './seed.ts';

/** One run of the load generator. */
export type Order = {
  origin: string;
  kase: CaseName;
  workspace: BenchWorkspace;
  connections: number;
  seconds: number;
  /** Requests a second over all connections; 0 for as many as are answered. */
  rate: number;
};

export type Outcome = {
  answered: number;
  /** Answers outside 2xx, by status; connections that broke and requests that timed out, under `error`. */
  failures: Record<string, number>;
  perSecond: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
};

async function run({ origin, kase, workspace, connections, seconds, rate }: Order): Promise<Outcome> {
  const request: Sent = REQUESTS[kase](workspace);
  const headers = { ...request.headers, authorization: `Bearer ${workspace.token}` };
  const { promise, resolve } = Promise.withResolvers<Result>();
  const started = performance.now();
  const instance = autocannon(
    {
      url: origin,
      connections,
      duration: seconds,
      sampleInt: 100,
      ...(rate > 0 && { overallRate: rate }),
      requests: [{ ...request, headers } as Request],
    },
    (_, result) => resolve(result),
  );
  const times: number[] = [];
  const failures: Record<string, number> = {};
  // The types of autocannon leave out the first argument.
  (instance as EventEmitter).on(
    'response',
    (_: unknown, status: number, __: number, milliseconds: number) => {
      times.push(milliseconds);
      if (status < 200 || status > 299) failures[status] = (failures[status] ?? 0) + 1;
    },
  );
  const { errors, timeouts } = await promise;
  const elapsed = (performance.now() - started) / 1000;
  if (errors + timeouts > 0) failures.error = errors + timeouts;
  times.sort((a, b) => a - b);
  const quantile = (share: number) =>
    times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? NaN;
  return {
    answered: times.length,
    failures,
    perSecond: times.length / elapsed,
    p50: quantile(0.5),
    p99: quantile(0.99),
  };
}

process.on('message', (order: Order) => {
  void run(order).then((outcome) => process.send!(outcome));
});
