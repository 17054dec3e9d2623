import type { Application as Endpoints } from '../../src/api.ts';
import type { Role } from '../../src/members/roles.ts';

export type { Role };

type Declared<Route extends string, Types> = { route: Route; types?: Types };

/** Every endpoint below /app/api, as far as types are concerned. */
export type Application =
  | Endpoints
  | Declared<
      'GET /sign-in/methods',
      { answers: { 200: { data: { sso: boolean; sso_name: string | null } } } }
    >;

type TypesOf<Route> = NonNullable<Extract<Endpoints, { route: Route }>['types']>;

/** Who is signed in, where, and as what. */
export type Session =
  TypesOf<'GET /session'> extends { answers: { 200: { data: infer Data } } } ? Data : never;
