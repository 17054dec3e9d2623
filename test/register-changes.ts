/** One entry of the register's feed of changes. */
export type RegisterChange = {
  oppdateringsid: number;
  /** An instant such as 2026-01-17T05:01:31.544Z. */
  dato: string;
  organisasjonsnummer: string;
  endringstype: 'Ny' | 'Endring' | 'Sletting' | 'Fjernet' | 'Ukjent';
};

const MAX_PAGE_SIZE = 10_000;

/**
 * A page of the feed, as the register writes it: from an id or an instant on, both inclusive, oldest first.
 * @returns null where the query breaks the register's rules
 */
export function changesPage(
  changes: readonly RegisterChange[],
  kind: 'enheter' | 'underenheter',
  query: URLSearchParams,
): object | null {
  const size = Number(query.get('size') ?? 20);
  const number = Number(query.get('page') ?? 0);
  const from = Number(query.get('oppdateringsid') ?? 0);
  const since = Date.parse(query.get('dato') ?? '1970-01-01T00:00:00.000Z');
  const counts = [size, number, from, since];
  if (!counts.every(Number.isSafeInteger) || size < 1 || size > MAX_PAGE_SIZE) return null;

  const wanted = changes
    .filter((change) => change.oppdateringsid >= from && Date.parse(change.dato) >= since)
    .toSorted((one, other) => one.oppdateringsid - other.oppdateringsid);
  const shown = wanted.slice(number * size, (number + 1) * size);
  const list = kind === 'enheter' ? 'oppdaterteEnheter' : 'oppdaterteUnderenheter';
  return {
    ...(shown.length > 0 && { _embedded: { [list]: shown.map((change) => ({ ...change, _links: {} })) } }),
    _links: {
      self: { href: `https://data.brreg.no/enhetsregisteret/api/oppdateringer/${kind}?${query.toString()}` },
    },
    page: { size, totalElements: wanted.length, totalPages: Math.ceil(wanted.length / size), number },
  };
}
