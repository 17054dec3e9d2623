import type { QueryClient } from '@tanstack/react-query';
import { useRouter } from '@tanstack/react-router';
import { useEffect, useMemo } from 'react';
import type { Search } from '../router.tsx';

/** What a page asks for first, asked for ahead of a visit that seems likely. Exported by the page's module. */
export type Prefetch = (visit: {
  client: QueryClient;
  params: Readonly<Record<string, string>>;
  search: Search;
  /** Who is signed in. */
  userId: string;
}) => void;

/** How long the pointer or the focus rests on a link or a row before it is an intent. */
export const INTENT_MS = 100;

/** Visits prepared at once at most, and how long until there may be one more. */
const MOST_AT_ONCE = 4;
const REFILL_MS = 2_000;

const budget = { left: MOST_AT_ONCE, at: 0 };

/** Whether one more visit may be prepared: somebody who moves over a list intends few of its rows. */
export function takeFromBudget(now = performance.now()): boolean {
  const refilled = Math.min(MOST_AT_ONCE, budget.left + (now - budget.at) / REFILL_MS);
  budget.at = now;
  budget.left = refilled < 1 ? refilled : refilled - 1;
  return refilled >= 1;
}

type Intent = { begin: (address: string) => void; end: () => void };

/** For rows, which are no links: prepares the visit of an address as the router does for links. */
export function useIntent(): Intent {
  const router = useRouter();
  const intent = useMemo(
    () => createIntent((address) => void router.preloadRoute({ to: address })),
    [router],
  );
  useEffect(() => intent.end, [intent]);
  return intent;
}

function createIntent(prepare: (address: string) => void): Intent {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let intended: string | undefined;
  const end = () => {
    clearTimeout(timer);
    intended = undefined;
  };
  return {
    begin(address) {
      if (address === intended) return;
      end();
      intended = address;
      timer = setTimeout(prepare, INTENT_MS, address);
    },
    end,
  };
}
