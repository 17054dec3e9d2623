import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { Conflict, isProblem } from '../../client/problem.ts';
import { useWords } from '../../words/dictionary.ts';
import { contactQuery, type Whole } from './queries.ts';
import { contactWords } from './words.ts';

type Change<Answer> = {
  write: (etag: string | undefined) => Promise<Answer>;
  /** What `textOf` gives afterwards. */
  wanted: string;
};

/**
 * Writes a part of a contact as long as that part is what was seen when the editing began: what somebody else wrote
 * there is shown first. When only another part of the contact has changed, it is written.
 *
 * @param textOf what is shown of the part, undefined when it is gone
 */
export function useOverSeen(id: string, textOf: (whole: Whole) => string | undefined, shown = '') {
  const words = useWords(contactWords);
  const client = useQueryClient();
  const query = contactQuery(id);
  const seen = useRef(shown);

  async function send<Answer>({ write, wanted }: Change<Answer>, now: Whole) {
    const theirs = textOf(now);
    // An earlier try was carried out, and its answer lost.
    if (theirs === wanted) return undefined;
    // If the part is gone, the service's own answer says so.
    if (theirs !== undefined && theirs !== seen.current) {
      seen.current = theirs;
      throw new Conflict(theirs === '' ? words.cleared : words.changedTo(theirs));
    }
    return write(now.etag);
  }
  const fetchFresh = () => client.fetchQuery({ ...query, staleTime: 0 });
  /** @returns undefined where what is wanted is stored already, and has been read */
  async function writeOver<Answer>(change: Change<Answer>): Promise<Answer | undefined> {
    try {
      return await send(change, client.getQueryData(query.queryKey) ?? (await fetchFresh()));
    } catch (error) {
      if (!isProblem(error, 'precondition_failed')) throw error;
      return await send(change, await fetchFresh());
    }
  }
  /** Called when editing begins again. Reads the cache: after a save, the page shows the new text a moment later. */
  const see = () => {
    const known = client.getQueryData(query.queryKey);
    seen.current = (known && textOf(known)) ?? shown;
  };
  return { see, writeOver };
}
