import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Tenant } from '../db/tenant.ts';
import type { Permission } from './permission.ts';
import type { ProblemCode } from './problem.ts';

/** The owner of the key or session that a request carries. */
export type Caller = {
  kind: 'key' | 'user';
  /** The id of the key or the person. Limits and Idempotency-Keys are kept for this id. */
  id: string;
  userId: string;
  /** The session a person uses; undefined for a key. */
  sessionId?: string;
  permissions: number;
  /** Of the person, or of the key's creator. */
  role: string;
  tenant: Tenant;
  /** Whether the key, or the session with its person's membership, is still valid: for requests that take long. */
  isStillGood: () => Promise<boolean>;
};

/** No JSON: a 204, or a file. */
export const noContent = z.void();

type Shape = z.ZodObject;
type Answers = Readonly<Record<number, z.ZodType>>;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What an answer contains besides its body. */
type More = {
  /** Sets the browser's session: its token, or null to remove it. */
  session?: string | null;
  /** The state of the resource in the answer, without quotes. */
  etag?: string;
  /** The contact whose data the answer holds, so that erasing the contact finds it. */
  contact?: string;
  /** A file instead of a body. */
  download?: Download;
};

/** A file that is sent while it is generated. */
export type Download = { name: string; type: string; content: Readable };

export type Answer = { status: number; body: unknown } & More;

/** What a handler returns: one of the declared statuses with its body. */
type AnswerOf<A extends Answers> = {
  [Status in keyof A & number]: { status: Status; body: z.input<A[Status]> } & More;
}[keyof A & number];

/** What a handler receives; `match` are the states that If-Match names, null for any. */
type Request<P, Q, B> = {
  params: P;
  query: Q;
  body: B;
  caller: Caller;
  tenant: Tenant;
  match: readonly string[] | null;
  /** Scheme and host by which the client reached the service. */
  origin: string;
  /** Whether the client has disconnected or closed its side. */
  isGone: () => boolean;
  /** To be called before the handler waits: other requests of the key can then proceed. */
  stepAside: () => void;
  waitAside: WaitAside;
};

/**
 * Steps aside while `wait` waits for another system, and then checks the caller again.
 * @throws {Problem} unauthorized, workspace_changed, forbidden when the caller may no longer make the request
 */
export type WaitAside = <T>(wait: () => Promise<T>) => Promise<T>;

/** The browser that sent a request without signing in. */
export type Visitor = {
  /** The network of its address. */
  network: string;
  userAgent: string;
  /** Scheme and host by which it reached the service. */
  origin: string;
  /** The session token that it sent, valid or not. */
  token: string | undefined;
  /** Writes a log line with the request's id. */
  log: (fields: Record<string, unknown>, message: string) => void;
};

type Visit<P, Q, B> = { params: P; query: Q; body: B; visitor: Visitor };

type Description<P, Q, B, A extends Answers> = {
  operationId: string;
  summary: string;
  /** Markdown. */
  description: string;
  /** What each successful status means. The reference page shows it; the application's operations have none. */
  outcomes?: { readonly [Status in keyof A & number]: string };
  /** The section of the reference page, for those that have `outcomes`. */
  tag?: string;
  params?: P;
  query?: Q;
  body?: B;
  /** Successful answers by status. */
  answers: A;
  /** Problems specific to this operation; those that any operation can have are added. */
  fails: readonly ProblemCode[];
  /** Problems that this operation answers with another status than usual. */
  statuses?: { readonly [Code in ProblemCode]?: number };
  /** Answers hold one resource and its ETag: GET accepts If-None-Match, PATCH and DELETE accept If-Match. */
  etag?: true;
  /**
   * Accepts no Idempotency-Key. Either the answer must not be stored, because it has a secret, is about another
   * workspace, or is shown only to roles that the operation itself checks; or the operation does a part of its work
   * after a commit, while an Idempotency-Key makes it one transaction.
   */
  unrepeatable?: true;
  /** Changes a part of the resource of this name: accepts If-Match with that resource's ETag. */
  ifMatch?: string;
  /** For fields that callers send here although they belong elsewhere, what to do instead: "add it with POST …". */
  elsewhere?: Readonly<Record<string, string>>;
  /** Goes beyond the contract. */
  addition?: true;
  /** Sends nothing to the database, so it waits for no turn. */
  needsNoDatabase?: true;
};

/** An answer of a handler; its status keeps its literal type. */
export function answer<Status extends number, Body>(
  status: Status,
  body: Body,
  more: More = {},
): { status: Status; body: Body } & More {
  return { status, body, ...more };
}

/** The answer that holds one resource, from a row with an `etag`. */
export function answerOne<Status extends number, Row extends { etag: string }>(
  status: Status,
  { etag, ...data }: Row,
): { status: Status; body: { data: Omit<Row, 'etag'> } } & More {
  return { status, body: { data }, etag };
}

/** What a client sends and receives, as JSON. */
type Exchange<P, Q, B, A extends Answers> = {
  params: Input<P>;
  query: Input<Q>;
  body: Input<B>;
  answers: { [Status in keyof A & number]: z.output<A[Status]> };
};
type Input<S> = S extends z.ZodType ? z.input<S> : undefined;

type Declared<Handle> = Description<Shape | undefined, Shape | undefined, Shape | undefined, Answers> & {
  handle: Handle;
};

/** Never present at run time; carries the types of an operation. */
type Phantom<PathParameter extends string, Types> = {
  readonly pathParameters?: (name: PathParameter) => PathParameter;
  readonly types?: Types;
};

/** What an operation accepts, answers and does, without its route and permission. */
export type Operation<PathParameter extends string = string, Types = unknown> = Declared<
  (request: Request<unknown, unknown, unknown>) => Promise<Answer>
> &
  Phantom<PathParameter, Types>;

/** An operation that needs no sign-in, so it has no workspace. */
type OpenOperation<PathParameter extends string = string, Types = unknown> = Declared<
  (visit: Visit<unknown, unknown, unknown>) => Promise<Answer>
> &
  Phantom<PathParameter, Types>;

type ParameterOf<P> = P extends Shape ? keyof P['shape'] & string : never;

/** Declares an operation; the handler gets the output of the schemas of params, query and body. */
export function operation<
  A extends Answers,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(
  declaration: Description<P, Q, B, A> & {
    handle: (request: Request<Output<P>, Output<Q>, Output<B>>) => Promise<AnswerOf<A>>;
  },
): Operation<ParameterOf<P>, Exchange<P, Q, B, A>> {
  return { ...declaration, handle: declaration.handle as Operation['handle'] };
}

/** Declares an operation that needs no sign-in. */
export function openOperation<
  A extends Answers,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(
  declaration: Description<P, Q, B, A> & {
    handle: (visit: Visit<Output<P>, Output<Q>, Output<B>>) => Promise<AnswerOf<A>>;
  },
): OpenOperation<ParameterOf<P>, Exchange<P, Q, B, A>> {
  return { ...declaration, handle: declaration.handle as OpenOperation['handle'] };
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** `orgNr` of `GET /companies/{orgNr}`. */
type PathParameterOf<Route> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterOf<Rest>
  : never;

/** The route of an operation. */
type RouteParts<Route extends string, Types> = {
  route: Route;
  method: Method;
  /** Below the base path, parameters in braces: `/companies/{orgNr}`. */
  path: string;
  readonly types?: Types;
};

/** One operation as a value: routing, checks, description, tests and clients are derived from it. */
export type Endpoint<Route extends string = string, Types = unknown> = Omit<
  Operation,
  'pathParameters' | 'types'
> &
  RouteParts<Route, Types> & { permission: Permission };

export type OpenEndpoint<Route extends string = string, Types = unknown> = Omit<
  OpenOperation,
  'pathParameters' | 'types'
> &
  RouteParts<Route, Types>;

/**
 * Gives an operation its route and permission.
 * @param route method and path below the base path; does not compile unless its parameters are the operation's
 */
export function endpoint<Route extends `${Method} /${string}`, Types>(
  route: Route,
  permission: Permission,
  declared: Operation<PathParameterOf<Route>, Types>,
): Endpoint<Route, Types> {
  return { ...declared, ...partsOf(route), permission };
}

/** Gives an operation that needs no sign-in its route. */
export function open<Route extends `${Method} /${string}`, Types>(
  route: Route,
  declared: OpenOperation<PathParameterOf<Route>, Types>,
): OpenEndpoint<Route, Types> {
  return { ...declared, ...partsOf(route) };
}

function partsOf<Route extends string>(route: Route) {
  const [method, path] = route.split(' ') as [Method, string];
  return { route, method, path };
}
