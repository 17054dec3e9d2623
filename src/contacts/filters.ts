import { numberIn } from '../db/search.ts';

/** What an address or number that is looked for begins with. */
export function searchedContacts(q: string | undefined) {
  const text = q?.trim().toLowerCase();
  if (text === undefined) return {};
  return { q_start: /\s/.test(text) ? undefined : text, q_number: numberIn(text) };
}
