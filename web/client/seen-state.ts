import { useLayoutEffect, useRef } from 'react';
import { useIsLeft } from '../frame/toasts.tsx';

/**
 * The state that an edit is of: the one that was shown when it began. Where a save of that was refused, it is the one
 * that is shown next, which may be a moment after the field has the focus again. Where nothing is shown any more, the
 * same change is of no state: it is saved over whatever is stored then.
 */
export function useSeenState(shown: string | undefined) {
  const seen = useRef<string>(undefined);
  const refused = useRef<string>(undefined);
  const refusedLater = useRef(new Set<string>());
  const isLeft = useIsLeft();
  useLayoutEffect(() => {
    if (seen.current !== undefined && seen.current === refused.current) seen.current = shown;
  }, [shown]);
  const leave = () => void (seen.current = undefined);
  return {
    /** Called when a field begins to be edited, and when it is left. */
    begin: () => void (seen.current ??= shown),
    leave,
    of: (change: object) => (refusedLater.current.has(partOf(change)) ? undefined : (seen.current ?? shown)),
    /** Somebody else has changed what was shown. */
    refuse: (change: object) => {
      if (isLeft.current) refusedLater.current.add(partOf(change));
      refused.current = seen.current ?? shown;
      leave();
    },
  };
}

function partOf(change: object): string {
  return Object.keys(change).join();
}
