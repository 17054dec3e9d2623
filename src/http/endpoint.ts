import type { Readable } from 'node:stream';
import { z } from 'zod';
import type { Tenant } from '../db/tenant.ts';
import type { Permission } from './permission.ts';
import type { ProblemCode } from './problem.ts';

/** Who asks: the key or the session that a request carries, looked up. */
export type Caller = {
  kind: 'key' | 'user';
  /** Of the key, or of the person: what is limited, and what an Idempotency-Key belongs to. */
  id: string;
  userId: string;
  /** The session a person uses; undefined for a key. */
  sessionId?: string;
  permissions: number;
  tenant: Tenant;
  /** Whether the key is good still: for a request that waits. */
  isStillGood: () => Promise<boolean>;
};

/** The body of a 204. */
export const noContent = z.void();

type Shape = z.ZodObject;
type Answers = Readonly<Record<number, z.ZodType>>;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What goes with an answer beside its body. */
type More = {
  /** The session the browser keeps from now on: its token, or null for none any more. */
  session?: string | null;
  /** The state of the one resource that the answer holds, without quotes. */
  etag?: string;
  /** The contact whose data the answer holds, so that erasing the contact finds it. */
  contact?: string;
  /** A file in place of a body. */
  download?: Download;
};

/** A file that is sent while it is written. */
export type Download = { name: string; type: string; content: Readable };

export type Answer = { status: number; body: unknown } & More;

/** What a handler gives back: one of the declared statuses with the body that goes with it. */
type AnswerOf<A extends Answers> = {
  [Status in keyof A & number]: { status: Status; body: z.input<A[Status]> } & More;
}[keyof A & number];

/** What a handler is given; `match` are the states that If-Match names, null for any. */
type Request<P, Q, B> = {
  params: P;
  query: Q;
  body: B;
  caller: Caller;
  tenant: Tenant;
  match: readonly string[] | null;
  /** Scheme and host under which the client sees the service. */
  origin: string;
  /** Whether the client has hung up, or closed its side. */
  isGone: () => boolean;
  /** Called by a request that waits: others of its key go on meanwhile. */
  stepAside: () => void;
};

/** The browser behind a request that nobody is signed in for. */
export type Visitor = {
  /** The network that its address belongs to. */
  network: string;
  userAgent: string;
  /** Scheme and host under which it sees the service. */
  origin: string;
  /** The session that it sent, good or not. */
  token: string | undefined;
  /** Says something in the log, beside the request's id. */
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
  /** Problems of this operation's own; those any operation can have are added. */
  fails: readonly ProblemCode[];
  /** Those that this operation answers with another status than others do. */
  statuses?: { readonly [Code in ProblemCode]?: number };
  /** Answers hold one resource and its ETag: GET takes If-None-Match, PATCH and DELETE take If-Match. */
  etag?: true;
  /** Takes no Idempotency-Key, under which its answer would be kept: it holds a secret, or another workspace. */
  unrepeatable?: true;
  /** Changes what belongs to the resource of this name: takes If-Match with the ETag of that. */
  ifMatch?: string;
  /** Goes beyond the contract. */
  addition?: true;
};

type Handler<P, Q, B, A extends Answers> = (
  request: Request<Output<P>, Output<Q>, Output<B>>,
) => Promise<AnswerOf<A>>;

/** An answer of a handler, its status kept as a literal type. */
export function answer<Status extends number, Body>(
  status: Status,
  body: Body,
  more: More = {},
): { status: Status; body: Body } & More {
  return { status, body, ...more };
}

/** The answer that holds one resource, as a statement gave it with its `etag`. */
export function answerOne<Status extends number, Row extends { etag: string }>(
  status: Status,
  { etag, ...data }: Row,
): { status: Status; body: { data: Omit<Row, 'etag'> } } & More {
  return { status, body: { data }, etag };
}

/** What a client sends and gets, as JSON. */
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

/** Never present: what the compiler knows of an operation. */
type Phantom<PathParameter extends string, Types> = {
  readonly pathParameters?: (name: PathParameter) => PathParameter;
  readonly types?: Types;
};

/** What an operation takes, answers and does, apart from where it is found and who may call it. */
export type Operation<PathParameter extends string = string, Types = unknown> = Declared<
  (request: Request<unknown, unknown, unknown>) => Promise<Answer>
> &
  Phantom<PathParameter, Types>;

/** An operation of a browser that nobody is signed in to: it has no workspace. */
export type OpenOperation<PathParameter extends string = string, Types = unknown> = Declared<
  (visit: Visit<unknown, unknown, unknown>) => Promise<Answer>
> &
  Phantom<PathParameter, Types>;

type ParameterOf<P> = P extends Shape ? keyof P['shape'] & string : never;

/** Declares an operation; the handler sees params, query and body as their schemas leave them. */
export function operation<
  A extends Answers,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(
  declaration: Description<P, Q, B, A> & { handle: Handler<P, Q, B, A> },
): Operation<ParameterOf<P>, Exchange<P, Q, B, A>> {
  return { ...declaration, handle: declaration.handle as Operation['handle'] };
}

/** Declares an operation that nobody has to be signed in for. */
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

/** Where an operation is found. */
type Place<Route extends string, Types> = {
  route: Route;
  method: Method;
  /** Below the base path, parameters in braces: `/companies/{orgNr}`. */
  path: string;
  readonly types?: Types;
};

/** One operation of the interface as a value: routing, checks, description, tests and clients are read off it. */
export type Endpoint<Route extends string = string, Types = unknown> = Omit<
  Operation,
  'pathParameters' | 'types'
> &
  Place<Route, Types> & { permission: Permission };

export type OpenEndpoint<Route extends string = string, Types = unknown> = Omit<
  OpenOperation,
  'pathParameters' | 'types'
> &
  Place<Route, Types>;

/**
 * Gives an operation its place in the interface.
 * @param route method and path below the base path; its parameters are those of the operation, or it does not compile
 */
export function endpoint<Route extends `${Method} /${string}`, Types>(
  route: Route,
  permission: Permission,
  declared: Operation<PathParameterOf<Route>, Types>,
): Endpoint<Route, Types> {
  return { ...declared, ...placeOf(route), permission };
}

/** Gives an operation that nobody has to be signed in for its place. */
export function open<Route extends `${Method} /${string}`, Types>(
  route: Route,
  declared: OpenOperation<PathParameterOf<Route>, Types>,
): OpenEndpoint<Route, Types> {
  return { ...declared, ...placeOf(route) };
}

function placeOf<Route extends string>(route: Route) {
  const [method, path] = route.split(' ') as [Method, string];
  return { route, method, path };
}
