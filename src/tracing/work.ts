import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingHttpHeaders } from 'node:http';

/** A statement of a request; `ms` includes the wait for a connection. */
type Executed = { statement: string; ms: number };

/** A statement or call that a request waits for, as a span of its trace. */
export type SpanPart = { end(outcome?: { status?: number; error?: unknown }): void };

/** The span of a request. */
export type RequestSpan = {
  traceId: string;
  startStatement(title: string): SpanPart;
  /** A GET to another server. */
  startCall(url: string): SpanPart;
  end(response: {
    method: string;
    route: string;
    /** Undefined if the client left before there was an answer. */
    status: number | undefined;
    requestId: string;
    workspaceId: string | undefined;
  }): void;
};

/** Begins the trace of each request. */
export type Tracer = {
  startRequest(request: { method: string; headers: IncomingHttpHeaders; protocol: string }): RequestSpan;
};

/** What a request has done so far. */
export type Work = { executed: Executed[]; span: RequestSpan | undefined };

/** The work of the current request, in everything that it does, also asynchronously; none outside of requests. */
export const currentWork = new AsyncLocalStorage<Work>();
