import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** A statement of a request; `ms` includes the wait for a connection. */
type Executed = { statement: string; ms: number };

/** What a request waits for, as a span of its trace. */
export type Part = { end(outcome?: { status?: number; error?: unknown }): void };

/** The span of a request. */
export type RequestSpan = {
  traceId: string;
  startStatement(title: string): Part;
  /** A GET to another server. */
  startCall(url: string): Part;
  end(response: {
    method: string;
    route: string;
    status: number;
    requestId: string;
    workspaceId: string | undefined;
  }): void;
};

/** Undefined where no traces are sent. */
export type Tracer = {
  startRequest(request: { method: string; headers: IncomingHttpHeaders; protocol: string }): RequestSpan;
};

/** What a request does, noted as it does it. */
export type Work = { executed: Executed[]; span: RequestSpan | undefined };

const underWay = new AsyncLocalStorage<Work>();

/** Calls `run`; what it does, also later, is noted in `work`. */
export function runAs(work: Work, run: () => void): void {
  underWay.run(work, run);
}

/** That of the request which the caller works for; undefined for the service's own errands. */
export function currentWork(): Work | undefined {
  return underWay.getStore();
}
