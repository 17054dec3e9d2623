import type { ChangeEntry } from '../../src/changes/schema.ts';

/** Who is signed in, where, and as what. */
export type Session = {
  user: { id: string; email: string; first_name: string; last_name: string; language: 'nb' | 'en' | null };
  workspace: { id: string; name: string; language: 'nb' | 'en' | null; time_zone: string };
  role: Role;
  workspaces: { id: string; name: string; role: Role }[];
};

export type Role = 'owner' | 'admin' | 'member';

type Welcome = {
  kind: 'invitation' | 'reset';
  email: string;
  workspace_name: string;
  first_name: string;
  last_name: string;
};

type Declared<Route extends string, Types> = { route: Route; types?: Types };

/** Every endpoint below /app/api, as far as types are concerned. */
export type Application =
  | Declared<'GET /session', { answers: { 200: { data: Session } } }>
  | Declared<
      'GET /sign-in/methods',
      { answers: { 200: { data: { sso: boolean; sso_name: string | null } } } }
    >
  | Declared<
      'POST /sign-in',
      { body: { email: string; password: string }; answers: { 200: { data: Session } } }
    >
  | Declared<'POST /sign-out', { answers: { 204: undefined } }>
  | Declared<'GET /welcome/{token}', { params: { token: string }; answers: { 200: { data: Welcome } } }>
  | Declared<
      'POST /welcome/{token}',
      {
        params: { token: string };
        body: { first_name: string; last_name: string; password: string };
        answers: { 200: { data: Session } };
      }
    >
  | Declared<
      'GET /changes',
      {
        query: { cursor?: string; wait?: number; limit?: number };
        answers: { 200: { data: ChangeEntry[]; page: { has_more: boolean; next_cursor: string } } };
      }
    >;
