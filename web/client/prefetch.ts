import type { QueryClient } from '@tanstack/react-query';
import type { Search } from '../router.tsx';
import { sessionQuery } from './session.ts';

type Visit = { client: QueryClient; params: Readonly<Record<string, string>>; search: Search };

/** What a page asks for first, asked for ahead of a visit that seems likely. Exported by the page's module. */
export type Prefetch = (
  visit: Visit & {
    /** Who is signed in. */
    userId: string;
  },
) => void;

/** Visits prepared at once at most, and how long until there may be one more. */
const MOST_AT_ONCE = 4;
const REFILL_MS = 2_000;

const budget = { left: MOST_AT_ONCE, at: 0 };

/** Asks for what a page will ask for, for few pages at a time: of the rows that the pointer crosses, few are opened. */
export function prepareVisit(prefetch: Prefetch | undefined, visit: Visit): void {
  const session = visit.client.getQueryData(sessionQuery.queryKey);
  if (prefetch && session && takeFromBudget(performance.now())) {
    prefetch({ ...visit, userId: session.user.id });
  }
}

function takeFromBudget(now: number): boolean {
  const refilled = Math.min(MOST_AT_ONCE, budget.left + (now - budget.at) / REFILL_MS);
  budget.at = now;
  budget.left = refilled < 1 ? refilled : refilled - 1;
  return refilled >= 1;
}
