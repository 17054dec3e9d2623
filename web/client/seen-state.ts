import { useLayoutEffect, useRef } from 'react';
import { useIsLeft } from '../frame/toasts.tsx';

/**
 * The state that an edit is of: the one that was shown when it began. Where a save of that was refused, it is the one
 * that is shown next, which may be a moment after the field has the focus again. Where nothing is shown any more, the
 * same change is of the state that is stored then: it is refused again where somebody has changed that, too.
 * @param read the answer that has the stored state as its ETag
 */
export function useSeenState<State extends string | undefined>(
  shown: State,
  read: () => Promise<{ etag: string | undefined }>,
) {
  const seen = useRef<string>(undefined);
  const refused = useRef<string>(undefined);
  const refusedLater = useRef(new Map<string, string>());
  const isLeft = useIsLeft();
  useLayoutEffect(() => {
    if (seen.current !== undefined && seen.current === refused.current) seen.current = shown;
  }, [shown]);
  const leave = () => void (seen.current = undefined);
  return {
    /** Called when a field begins to be edited, and when it is left. */
    begin: () => void (seen.current ??= shown),
    leave,
    of: (change: object): string | State => refusedLater.current.get(partOf(change)) ?? seen.current ?? shown,
    /** Somebody else has changed what was shown. */
    refuse: async (change: object) => {
      refused.current = seen.current ?? shown;
      leave();
      if (!isLeft.current) return;
      // Without an answer it is refused once more, and read then.
      const stored = await read().catch(() => undefined);
      if (stored?.etag) refusedLater.current.set(partOf(change), stored.etag.replaceAll('"', ''));
    },
  };
}

function partOf(change: object): string {
  return Object.keys(change).join();
}
