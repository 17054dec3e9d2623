import { useLocation } from '@tanstack/react-router';
import { createContext, use, useCallback, useState, type ReactNode } from 'react';
import type { Search } from '../router.tsx';

const LISTS = new Set(['/companies', '/contacts', '/tasks', '/offers']);

type SearchOf = (to: string) => Search;

const Context = createContext<SearchOf>(() => ({}));

/** Remembers how each list was shown last. It is forgotten when somebody else signs in. */
export function ListSearches({ children }: { children: ReactNode }) {
  const { pathname, search } = useLocation();
  const [shown, setShown] = useState<Readonly<Record<string, Search>>>({});
  if (LISTS.has(pathname) && shown[pathname] !== search) setShown({ ...shown, [pathname]: search });
  const searchOf = useCallback((to: string) => (to === pathname ? {} : (shown[to] ?? {})), [pathname, shown]);
  return <Context value={searchOf}>{children}</Context>;
}

/** The search that leads back to a list as it was shown last; from the list itself, to all of it. */
export function useListSearch(): SearchOf {
  return use(Context);
}
