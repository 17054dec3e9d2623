import type { z } from 'zod';
import type { Tenant } from '../db/tenant.ts';
import type { Permission } from './permission.ts';
import type { ProblemCode } from './problem.ts';

/** Who asks: the key a request carries, looked up. */
export type Caller = { keyId: string; userId: string; permissions: number; tenant: Tenant };

type Shape = z.ZodObject;
type Answers = Readonly<Record<number, z.ZodType>>;
type Output<S> = S extends z.ZodType ? z.output<S> : undefined;

/** What a handler gives back: one of the declared statuses with the body that goes with it. */
type AnswerOf<A extends Answers> = {
  [Status in keyof A & number]: { status: Status; body: z.input<A[Status]> };
}[keyof A & number];

type Description<P, Q, B, A extends Answers> = {
  /** Method and path below /api/v1, parameters in braces: `GET /companies/{orgNr}`. */
  route: `${'GET' | 'POST' | 'PATCH'} /${string}`;
  operationId: string;
  summary: string;
  /** For the reference page, Markdown. */
  description: string;
  tag: string;
  permission: Permission;
  params?: P;
  query?: Q;
  body?: B;
  /** What each successful status means, for the reference page. */
  outcomes: { readonly [Status in keyof A & number]: string };
  /** Successful answers by status. */
  answers: A;
  /** Problems of this operation's own; those any operation can have are added. */
  fails: readonly ProblemCode[];
};

type Handler<P, Q, B, A extends Answers> = (request: {
  params: Output<P>;
  query: Output<Q>;
  body: Output<B>;
  caller: Caller;
  tenant: Tenant;
}) => Promise<AnswerOf<A>>;

/** An answer of a handler, its status kept as a literal type. */
export function answer<Status extends number, Body>(
  status: Status,
  body: Body,
): { status: Status; body: Body } {
  return { status, body };
}

/** One operation of the interface as a value: routing, checks, description and tests are all read off it. */
export type Endpoint = Description<Shape | undefined, Shape | undefined, Shape | undefined, Answers> & {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  handle: (request: {
    params: unknown;
    query: unknown;
    body: unknown;
    caller: Caller;
    tenant: Tenant;
  }) => Promise<{ status: number; body: unknown }>;
};

/** Declares an operation; the handler sees params, query and body as their schemas leave them. */
export function endpoint<
  A extends Answers,
  P extends Shape | undefined = undefined,
  Q extends Shape | undefined = undefined,
  B extends Shape | undefined = undefined,
>(declaration: Description<P, Q, B, A> & { handle: Handler<P, Q, B, A> }): Endpoint {
  const [method, path] = declaration.route.split(' ') as ['GET' | 'POST' | 'PATCH', string];
  return { ...declaration, method, path, handle: declaration.handle as Endpoint['handle'] };
}
