import { z } from 'zod';
import type { Tenant } from '../db/tenant.ts';
import type { Permission } from './permission.ts';
import type { ProblemCode } from './problem.ts';

/** Who asks: the key a request carries, looked up. */
export type Caller = {
  keyId: string;
  userId: string;
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
  /** The state of the one resource that the answer holds, without quotes. */
  etag?: string;
  /** The contact whose data the answer holds, so that erasing the contact finds it. */
  contact?: string;
};

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
  /** Whether the client has hung up, or closed its side. */
  isGone: () => boolean;
  /** Called by a request that waits: others of its key go on meanwhile. */
  stepAside: () => void;
};

type Description<P, Q, B, A extends Answers> = {
  operationId: string;
  summary: string;
  /** For the reference page, Markdown. */
  description: string;
  tag: string;
  params?: P;
  query?: Q;
  body?: B;
  /** What each successful status means, for the reference page. */
  outcomes: { readonly [Status in keyof A & number]: string };
  /** Successful answers by status. */
  answers: A;
  /** Problems of this operation's own; those any operation can have are added. */
  fails: readonly ProblemCode[];
  /** Those that this operation answers with another status than others do. */
  statuses?: { readonly [Code in ProblemCode]?: number };
  /** Answers hold one resource and its ETag: GET takes If-None-Match, PATCH and DELETE take If-Match. */
  etag?: true;
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

/** What an operation takes, answers and does, apart from where it is found and who may call it. */
export type Operation<PathParameter extends string = string> = Description<
  Shape | undefined,
  Shape | undefined,
  Shape | undefined,
  Answers
> & {
  handle: (request: Request<unknown, unknown, unknown>) => Promise<Answer>;
  /** Never present; carries the names of the path parameters. */
  readonly pathParameters?: (name: PathParameter) => PathParameter;
};

/** Declares an operation; the handler sees params, query and body as their schemas leave them. */
export function operation<
  A extends Answers,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(
  declaration: Description<P, Q, B, A> & { handle: Handler<P, Q, B, A> },
): Operation<P extends Shape ? keyof P['shape'] & string : never> {
  return { ...declaration, handle: declaration.handle as Operation['handle'] };
}

type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE';

/** `orgNr` of `GET /companies/{orgNr}`. */
type PathParameterOf<Route> = Route extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameterOf<Rest>
  : never;

/** One operation of the interface as a value: routing, checks, description and tests are all read off it. */
export type Endpoint = Omit<Operation, 'pathParameters'> & {
  route: string;
  method: Method;
  /** Below /api/v1, parameters in braces: `/companies/{orgNr}`. */
  path: string;
  permission: Permission;
};

/**
 * Gives an operation its place in the interface.
 * @param route method and path below /api/v1; its parameters are those of the operation, or it does not compile
 */
export function endpoint<Route extends `${Method} /${string}`>(
  route: Route,
  permission: Permission,
  declared: Operation<PathParameterOf<Route>>,
): Endpoint {
  const [method, path] = route.split(' ') as [Method, string];
  return { ...declared, route, method, path, permission };
}
