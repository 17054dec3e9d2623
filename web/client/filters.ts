import { useLocation, useNavigate } from '@tanstack/react-router';
import type { Search } from '../router.tsx';

/**
 * Search parameters of the address as plain strings: filters, sort, tab, view. Setting one replaces the entry in
 * the history; undefined or an empty string removes the parameter.
 */
export function useFilters<Name extends string>(): {
  values: Readonly<Partial<Record<Name, string>>>;
  set: (changes: Partial<Record<Name, string | undefined>>) => void;
} {
  const values = useLocation().search as Partial<Record<Name, string>>;
  const navigate = useNavigate();
  return {
    values,
    set: (changes) =>
      void navigate({
        to: '.',
        search: (old: Search) => ({ ...old, ...changes }) as Search,
        replace: true,
        // Otherwise the router would restore an earlier scroll position.
        resetScroll: false,
      }),
  };
}
