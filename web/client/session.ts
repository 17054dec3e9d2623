import { queryOptions, useMutation, useQueryClient, useSuspenseQuery } from '@tanstack/react-query';
import type { Role, Session } from './application.ts';
import { call } from './call.ts';
import { giveUpUnsaved, hasUnsaved } from './unsaved.ts';

/** Who is signed in; known before a page in the frame is shown. */
export const sessionQuery = queryOptions({
  queryKey: ['session'],
  queryFn: async ({ signal, client }): Promise<Session> => {
    const { data } = (await call('GET /session', { signal })).data;
    // A change of person or workspace reloads the page (`useTakeSession`), so that the rows of two are never mixed.
    const known = client.getQueryData<Session>(['session']);
    return known && !isSame(known, data) ? known : data;
  },
  staleTime: Infinity,
  retry: false,
});

function isSame(one: Session, other: Session): boolean {
  return one.user.id === other.user.id && one.workspace.id === other.workspace.id;
}

export function useSession(): Session {
  return useSuspenseQuery(sessionQuery).data;
}

/** The workspace for which this tab was last to be loaded again; the person may have refused that. */
const asked: { workspace: string | undefined } = { workspace: undefined };

/**
 * Goes on with the session that this browser has now. If that is another person's or workspace's, the page is loaded
 * again, so that nothing of the session before stays in memory. If typed text would be lost, the browser asks once;
 * until the text is saved or discarded, the page stays readable. @returns whether the session is the same
 */
export function useTakeSession(): (session: Session) => boolean {
  const client = useQueryClient();
  const own = useSession();
  return (session) => {
    if (!isSame(session, own)) {
      const isOthers = session.user.id !== own.user.id;
      if (!isOthers && hasUnsaved() && asked.workspace === session.workspace.id) return false;
      if (isOthers) {
        giveUpUnsaved();
        sessionStorage.clear();
      }
      loadWorkspace(session.workspace.id);
      return false;
    }
    asked.workspace = undefined;
    client.setQueryData(sessionQuery.queryKey, session);
    return true;
  };
}

/** Shows the workspace that the session has gone to: a page load leaves nothing of the one before in memory. */
export function loadWorkspace(id: string): void {
  asked.workspace = id;
  window.location.assign('/');
}

/**
 * A new session is in the workspace that the person joined first: moves it to the one that is shown.
 * @returns the session in the workspace that is shown, or as it is where the person cannot go there
 */
export async function moveBack(session: Session, workspace_id: string): Promise<Session> {
  if (session.workspace.id === workspace_id) return session;
  try {
    return (await call('POST /session/workspace', { body: { workspace_id } })).data.data;
  } catch {
    return session;
  }
}

/** @param look called when the browser shows this page again as it was left or frozen: anything may have happened */
export function whenShownAgain(look: () => void): () => void {
  const show = ({ persisted }: PageTransitionEvent) => {
    if (persisted) look();
  };
  window.addEventListener('pageshow', show);
  document.addEventListener('resume', look);
  return () => {
    window.removeEventListener('pageshow', show);
    document.removeEventListener('resume', look);
  };
}

const RANKS: Record<Role, number> = { member: 0, admin: 1, owner: 2 };

/** Whether the person has this role or one above it. */
export function useRole(needed: Role): boolean {
  return RANKS[useSession().role] >= RANKS[needed];
}

export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: () => call('POST /sign-out'),
    onSuccess() {
      client.clear();
      // The page load clears the memory, too. Nothing can be saved any more, so the browser does not ask.
      sessionStorage.clear();
      giveUpUnsaved();
      window.location.assign('/sign-in');
    },
  });
}

/** Where to go after signing in: an address of this application, whatever the link says. */
export function safeNext(next: string | undefined): string {
  if (next === undefined || !next.startsWith('/')) return '/';
  const { origin } = window.location;
  const url = URL.canParse(next, origin) ? new URL(next, origin) : undefined;
  const isOurs = url?.origin === origin && !/^\/sign-in\b/.test(url.pathname);
  return isOurs ? url.pathname + url.search + url.hash : '/';
}
