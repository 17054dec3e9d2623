import type { ProblemCode } from '../../src/http/problem.ts';
import type { Application } from './application.ts';
import { CallProblem, Unreachable, type Detail } from './problem.ts';
import { noteWrite } from './records.ts';
import { tellTabs } from './tabs.ts';

/** `GET /companies/{orgNr}`, … */
export type Route = Application['route'];

type TypesOf<R extends Route> = NonNullable<Extract<Application, { route: R }>['types']>;
type Part<R extends Route, Name extends string> = TypesOf<R> extends Record<Name, infer P> ? P : undefined;
type Given<Name extends string, P> = [P] extends [undefined]
  ? { [N in Name]?: undefined }
  : {} extends P
    ? { [N in Name]?: P }
    : { [N in Name]: P };

/** A query carries text; numbers and booleans are accepted and converted to it. */
type Written<Q> = Q extends object
  ? { [N in keyof Q]: Q[N] | (string extends Q[N] ? number | boolean : never) }
  : Q;

/** What a route takes. */
export type CallOptions<R extends Route> = Given<'params', Part<R, 'params'>> &
  Given<'query', Written<Part<R, 'query'>>> &
  Given<'body', Part<R, 'body'>> & {
    ifMatch?: string | undefined;
    idempotencyKey?: string | undefined;
    signal?: AbortSignal | undefined;
    /** The workspace that the call is for; the one that is shown if absent. */
    workspace?: string | undefined;
  };

type Answers<R extends Route> = TypesOf<R> extends { answers: infer A } ? A : never;

/**
 * A successful answer: its status, its body, the state to send as `ifMatch`, and whether it repeats the answer to an
 * earlier request with the same Idempotency-Key.
 */
export type CallResult<R extends Route> = {
  [Status in keyof Answers<R>]: {
    status: Status;
    data: Answers<R>[Status];
    etag: string | undefined;
    isReplayed: boolean;
  };
}[keyof Answers<R>];

type Arguments<R extends Route> =
  {} extends CallOptions<R> ? [options?: CallOptions<R>] : [options: CallOptions<R>];

type Loose = {
  params?: Record<string, unknown>;
  query?: Record<string, string | number | boolean | undefined>;
  body?: unknown;
  ifMatch?: string;
  idempotencyKey?: string;
  signal?: AbortSignal;
  workspace?: string | undefined;
};

/** Routes whose 401 ends no session: they are called before somebody has signed in. */
const OPEN = new Set<Route>([
  'GET /session',
  'POST /sign-in',
  'POST /sign-in/passkey',
  'POST /sign-in/provider/finish',
]);

/** Routes that work in any workspace, or that read or change which one the session is in. */
const ANYWHERE = new Set<Route>([...OPEN, 'POST /sign-out', 'POST /workspaces', 'POST /session/workspace']);

/** A connection can be gone without either side being told; the service itself answers within half of this. */
const MAX_WAIT_MS = 60_000;

let workspaceShown: string | undefined;

/** From now on, calls are for this workspace alone: in another one they neither read nor write. */
export function showWorkspace(id: string): void {
  workspaceShown = id;
}

type Ends = { signedOut(): void; moved(): void };

const nobody: Ends = { signedOut() {}, moved() {} };
let ends = nobody;

/**
 * @param tell called when an answer says that the session has ended, or is in another workspace than the page shows
 * @returns a function that stops these calls
 */
export function whenSessionEnds(tell: Ends): () => void {
  ends = tell;
  return () => {
    ends = nobody;
  };
}

/** Calls an endpoint below /app/api. Rejects with a CallProblem, with Unreachable, or with the signal's reason. */
export async function call<R extends Route>(route: R, ...[options]: Arguments<R>): Promise<CallResult<R>> {
  const loose = (options ?? {}) as Loose;
  const [method, path] = route.split(' ') as [string, string];
  const workspace = ANYWHERE.has(route) ? undefined : (loose.workspace ?? workspaceShown);
  const { response, text } = await send(method, addressOf(path, loose), { ...loose, workspace });
  const body: unknown = text === '' ? undefined : parse(text);
  if (!response.ok) {
    if (response.status === 401 && !OPEN.has(route)) ends.signedOut();
    throw tellMoved(problemOf(response, body));
  }
  // A proxy or web filter that answers in place of the service can do so with any status.
  if (body === undefined && response.status !== 204) throw new Unreachable(`no JSON: ${response.status}`);
  // A proxy may have given the request an id that the change log does not store.
  const requestId = response.headers.get('recorded-request-id') ?? response.headers.get('x-request-id');
  if (method !== 'GET' && requestId !== null) noteWrite(requestId);
  tellTabs(route);
  // A proxy that compresses answers makes the ETag a weak one, which If-Match never matches.
  const etag = response.headers.get('etag')?.replace(/^W\//, '');
  const isReplayed = response.headers.has('idempotency-replayed');
  return { status: response.status, data: body, etag, isReplayed } as CallResult<R>;
}

/** The code that stands for each status of an answer to HEAD, which has no body. */
const CODES_OF_FILES: Readonly<Record<number, ProblemCode>> = {
  401: 'unauthorized',
  403: 'forbidden',
  409: 'workspace_changed',
  429: 'rate_limited',
  503: 'temporarily_unavailable',
};

/**
 * Asks whether a CSV file would be sent now, without having it sent. Rejects as `call` does, and with `two_files` when
 * two files are being sent already.
 */
export async function askForFile(address: string): Promise<void> {
  const { response } = await send('HEAD', address, {});
  const { ok, status, headers } = response;
  if (status === 401) ends.signedOut();
  // As long as the rate limit leaves requests, 429 can only mean a third file.
  const isThird =
    status === 429 && headers.has('x-request-id') && !headers.get('ratelimit')?.includes(';r=0;');
  if (!ok) {
    throw tellMoved(problemOf(response, { code: isThird ? 'two_files' : CODES_OF_FILES[status] }));
  }
  if (!headers.get('content-type')?.startsWith('text/csv')) throw new Unreachable(`no CSV: ${status}`);
}

function tellMoved(problem: CallProblem): CallProblem {
  if (problem.code === 'workspace_changed') ends.moved();
  return problem;
}

async function send(
  method: string,
  address: string,
  options: Loose,
): Promise<{ response: Response; text: string }> {
  const headers = new Headers({ accept: 'application/json' });
  if (options.body !== undefined) headers.set('content-type', 'application/json');
  if (options.ifMatch !== undefined) headers.set('if-match', options.ifMatch);
  if (options.idempotencyKey !== undefined) headers.set('idempotency-key', options.idempotencyKey);
  if (options.workspace !== undefined) headers.set('kundebok-workspace', options.workspace);
  const limit = AbortSignal.timeout(MAX_WAIT_MS);
  try {
    const response = await fetch(address, {
      method,
      headers,
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ? AbortSignal.any([options.signal, limit]) : limit,
      credentials: 'same-origin',
    });
    return { response, text: await response.text() };
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Unreachable(error);
  }
}

function addressOf(path: string, { params = {}, query = {} }: Loose): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return `/app/api${filled}${search.size > 0 ? `?${search.toString()}` : ''}`;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // A proxy between us and the service answers in HTML.
    return undefined;
  }
}

function problemOf({ status, headers }: Response, body: unknown): CallProblem {
  const { error, code, details } = (body ?? {}) as { error?: string; code?: string; details?: Detail[] };
  return new CallProblem({
    status,
    code: code ?? 'unexpected_answer',
    error: error ?? `Status ${status}`,
    details: Array.isArray(details) ? details : [],
    requestId: headers.get('x-request-id') ?? undefined,
  });
}
