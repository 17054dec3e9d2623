import { useRef } from 'react';

/**
 * The state that an edit of a field is based on: the one that was shown when it began or, after a refusal, the one that
 * was shown then. The change is refused again if somebody has changed that state, too, or if that was not shown.
 * @param readShown reads again what is shown, and gives its state; undefined where it is no longer shown
 * @param read the stored record, with its state as its ETag
 */
export function useSeenState<
  Change extends object,
  State extends string | undefined,
  Stored extends { etag: string | undefined; data: { data: object } },
>(shown: State, readShown: () => Promise<string | undefined>, read: () => Promise<Stored>) {
  /** By field: one can be edited while another is saved. */
  const seen = useRef(new Map<string, string>());
  return {
    /** Called when a field begins to be edited. */
    begin: (field: keyof Change & string) => {
      if (shown !== undefined) seen.current.set(field, shown);
    },
    of: (change: Change): string | State => seen.current.get(fieldOf(change)) ?? shown,
    /**
     * Called when the service has refused a change, because what was shown has been changed since.
     * @returns what is stored, if it has the change already: an earlier try was carried out, and its answer lost
     */
    refuse: async (change: Change): Promise<Stored | undefined> => {
      const stored = await read().catch(() => undefined);
      if (stored && isIn(change, stored.data.data)) return stored;
      // Without an answer, the next try is refused again, and the state is read then.
      const state = (await readShown()) ?? stored?.etag;
      if (state) seen.current.set(fieldOf(change), state.replaceAll('"', ''));
      return undefined;
    },
  };
}

function isIn(change: object, record: object): boolean {
  const stored = new Map(Object.entries(record));
  return Object.entries(change).every(([name, value]) => stored.get(name) === value);
}

/** A change of several fields is known by its first one. */
function fieldOf(change: object): string {
  return Object.keys(change)[0] ?? '';
}
