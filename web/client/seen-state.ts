import { useRef } from 'react';

/**
 * The state that an edit of a field is of: the one that was shown when it began, or once saving it was refused. The
 * same change is refused again where somebody has changed that, too, or it could not be shown.
 * @param readShown reads again what is shown, and gives its state; undefined where it is no longer shown
 * @param read the answer that has the stored state as its ETag
 */
export function useSeenState<Change extends object, State extends string | undefined>(
  shown: State,
  readShown: () => Promise<string | undefined>,
  read: () => Promise<{ etag: string | undefined }>,
) {
  /** By field: one can be edited while another is saved. */
  const seen = useRef(new Map<string, string>());
  return {
    /** Called when a field begins to be edited. */
    begin: (field: keyof Change & string) => {
      if (shown !== undefined) seen.current.set(field, shown);
    },
    of: (change: Change): string | State => seen.current.get(fieldOf(change)) ?? shown,
    /** Somebody else has changed what was shown. */
    refuse: async (change: Change) => {
      // Without an answer it is refused once more, and read then.
      const state = (await readShown()) ?? (await read().catch(() => undefined))?.etag;
      if (state) seen.current.set(fieldOf(change), state.replaceAll('"', ''));
    },
  };
}

/** What else a change sets goes with its first field. */
function fieldOf(change: object): string {
  return Object.keys(change)[0] ?? '';
}
