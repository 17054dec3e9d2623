import { useLayoutEffect, useRef } from 'react';

/**
 * The state that an edit is of: the one that was shown when it began. Where a save of that was refused, it is the one
 * that is shown next, which may be a moment after the field has the focus again.
 */
export function useSeenState(shown: string | undefined) {
  const seen = useRef<string>(undefined);
  const refused = useRef<string>(undefined);
  useLayoutEffect(() => {
    if (seen.current !== undefined && seen.current === refused.current) seen.current = shown;
  }, [shown]);
  const leave = () => void (seen.current = undefined);
  return {
    /** Called when a field begins to be edited, and when it is left. */
    begin: () => void (seen.current ??= shown),
    leave,
    of: () => seen.current ?? shown,
    /** Somebody else has changed what was shown. */
    refuse: () => {
      refused.current = seen.current ?? shown;
      leave();
    },
  };
}
