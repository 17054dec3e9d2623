import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { loadCode } from './client/online.ts';
import { placeQuery } from './client/place.ts';
import type { Prefetch } from './client/prefetch.ts';
import { CallProblem } from './client/problem.ts';
import { showWorkspace } from './client/call.ts';
import { safeNext, sessionQuery } from './client/session.ts';
import { FailurePage, FirstFailure, NotFoundPage } from './frame/failure.tsx';
import { FirstPending, PendingPage } from './frame/pending.tsx';
import { Root } from './frame/root.tsx';

/** Search parameters are plain strings: lists are joined by commas. */
export type Search = Record<string, string | undefined>;

const root = createRootRouteWithContext<{ client: QueryClient }>()({
  component: Root,
  errorComponent: FirstFailure,
  validateSearch: (search: Record<string, unknown>) => search as Search,
});

/** Pages of somebody who is signed in; anybody else is led to sign in, and back. */
const inside = createRoute({
  getParentRoute: () => root,
  id: 'inside',
  pendingComponent: FirstPending,
  errorComponent: FirstFailure,
  // Loaded apart: the page for signing in does not need the frame.
  component: lazyRouteComponent(() => loadCode(() => import('./frame/frame.tsx')), 'Frame'),
  async beforeLoad({ context: { client }, location }) {
    try {
      // Without an answer to this, everything is read again once there is one.
      const place = client.ensureQueryData(placeQuery).catch(() => {});
      const [{ workspace }] = await Promise.all([client.ensureQueryData(sessionQuery), place]);
      showWorkspace(workspace.id);
    } catch (error) {
      if (!(error instanceof CallProblem && error.status === 401)) throw error;
      const next = safeNext(location.href);
      throw redirect({ to: '/sign-in', search: next === '/' ? {} : { next } });
    }
  },
});

/**
 * A page of its own chunk: `page('/tasks', () => import('./routes/tasks/page.tsx'), 'TasksPage')`. On intent its code
 * is loaded, and what its `prefetch` asks for.
 */
function page<
  Path extends string,
  Module extends Record<Name, () => React.ReactNode> & { prefetch?: Prefetch },
  Name extends string,
>(path: Path, load: () => Promise<Module>, name: Name) {
  return createRoute({
    getParentRoute: () => inside,
    path,
    component: lazyRouteComponent(() => loadCode(load), name as never),
    async loader({ preload, context: { client }, params, location }) {
      // On a visit, the page itself asks for its data: nothing is awaited here.
      if (!preload) return;
      const [{ prefetch }, { prepareVisit }] = await Promise.all([
        loadCode(load),
        loadCode(() => import('./client/prefetch.ts')),
      ]);
      prepareVisit(prefetch, { client, params, search: location.search });
    },
  });
}

function outside<
  Path extends string,
  Module extends Record<Name, () => React.ReactNode>,
  Name extends string,
>(path: Path, load: () => Promise<Module>, name: Name) {
  return createRoute({
    getParentRoute: () => root,
    path,
    pendingComponent: FirstPending,
    component: lazyRouteComponent(() => loadCode(load), name as never),
  });
}

const routes = root.addChildren([
  outside('/sign-in', () => import('./routes/sign-in/page.tsx'), 'SignInPage'),
  outside('/sign-in/callback', () => import('./routes/sign-in-callback/page.tsx'), 'SignInCallbackPage'),
  outside('/welcome/$token', () => import('./routes/welcome/page.tsx'), 'WelcomePage'),
  inside.addChildren([
    page('/', () => import('./routes/home/page.tsx'), 'HomePage'),
    page('/companies', () => import('./routes/companies/page.tsx'), 'CompaniesPage'),
    page('/companies/$orgnr', () => import('./routes/company/page.tsx'), 'CompanyPage'),
    page('/contacts', () => import('./routes/contacts/page.tsx'), 'ContactsPage'),
    page('/contacts/$id', () => import('./routes/contact/page.tsx'), 'ContactPage'),
    page('/tasks', () => import('./routes/tasks/page.tsx'), 'TasksPage'),
    page('/offers', () => import('./routes/offers/page.tsx'), 'OffersPage'),
    page('/offers/$id', () => import('./routes/offer/page.tsx'), 'OfferPage'),
    page('/search', () => import('./routes/search/page.tsx'), 'SearchPage'),
    page('/settings/keys', () => import('./routes/settings-keys/page.tsx'), 'KeysPage'),
    page('/settings/members', () => import('./routes/settings-members/page.tsx'), 'MembersPage'),
    page('/settings/workspace', () => import('./routes/settings-workspace/page.tsx'), 'WorkspacePage'),
    page('/settings/profile', () => import('./routes/settings-profile/page.tsx'), 'ProfilePage'),
    page('/settings/history', () => import('./routes/settings-history/page.tsx'), 'HistoryPage'),
    page('/import', () => import('./routes/import/page.tsx'), 'ImportPage'),
    page('/developers', () => import('./routes/developers/page.tsx'), 'DevelopersPage'),
    page('/shortcuts', () => import('./routes/shortcuts/page.tsx'), 'ShortcutsPage'),
    createRoute({
      getParentRoute: () => inside,
      path: '/settings',
      beforeLoad: () => {
        throw redirect({ to: '/settings/profile' });
      },
    }),
    createRoute({ getParentRoute: () => inside, path: '$', component: NotFoundPage }),
  ]),
]);

export function createAppRouter(client: QueryClient) {
  return createRouter({
    routeTree: routes,
    context: { client },
    defaultPreload: 'intent',
    // Milliseconds for which the pointer or the focus rests on something before it is an intent.
    defaultPreloadDelay: 100,
    defaultPreloadStaleTime: 0,
    defaultPendingComponent: PendingPage,
    // Milliseconds for which the page before stays, or nothing shows.
    defaultPendingMs: 300,
    // Otherwise a page that was left while its code was loading would show the page before it on the next visit.
    defaultGcTime: 0,
    defaultErrorComponent: FailurePage,
    defaultNotFoundComponent: NotFoundPage,
    scrollRestoration: true,
    // Otherwise a page would open scrolled as far down as the one before it, where the same part of both scrolls.
    scrollToTopSelectors: ['.page', '.page-body', '.table-body', '.task-scroller'],
    parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: (search) => {
      const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
      return given.length > 0 ? `?${new URLSearchParams(given as [string, string][]).toString()}` : '';
    },
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
