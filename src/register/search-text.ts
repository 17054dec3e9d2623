/** Diacritics, but not the ring of å, which is a letter of its own. */
const DIACRITICS = /(?<!a)\u030A|[\u0300-\u0309\u030B-\u036F]/g;

/** Lower case without anything that `withoutDiacritics` changes. */
const PLAIN = /^[ -~æøå]*$/;

/**
 * A name as it is searched: words in lower case without diacritics, one space between them; æ, ø and å are letters of
 * their own. Migration 0012 says the same in SQL.
 */
export function searchText(name: string): string {
  const lower = name.toLowerCase();
  // Most names have no diacritics, and an import has millions: looking is cheaper than removing none.
  const letters = PLAIN.test(lower) ? lower : withoutDiacritics(lower);
  return letters.replaceAll(/[^\p{L}\p{N}]+/gu, ' ').trim();
}

function withoutDiacritics(text: string): string {
  return text.normalize('NFD').replaceAll(DIACRITICS, '').normalize('NFC');
}

/** The words of what is searched for; none if it has neither letters nor digits. */
export function wordsOf(q: string): string[] {
  return searchText(q).split(' ').filter(Boolean);
}

/** The digits that are searched for, without spaces, and without a point or hyphen that follows three digits. */
export function digitsOf(q: string): string | undefined {
  const digits = q.replaceAll(/\s|(?<=\d{3})[.-](?=\d)/g, '');
  return /^\d{1,9}$/.test(digits) ? digits : undefined;
}
