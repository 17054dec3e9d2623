import type { Kind } from '../register.ts';

/** The address of the national register's API, and the User-Agent that tells it who is asking. */
export type Source = {
  /** Without a final slash: https://data.brreg.no/enhetsregisteret/api */
  baseUrl: string;
  userAgent: string;
};

/** Path and media type of each of the register's two lists. */
export const LISTS = {
  unit: { path: 'enheter', type: 'enhet' },
  branch: { path: 'underenheter', type: 'underenhet' },
} as const satisfies Record<Kind, object>;

/** The media type of a list's records, with the version of the API that this service understands. */
export function mediaType(kind: Kind, format: 'json' | 'gzip'): string {
  return `application/vnd.brreg.enhetsregisteret.${LISTS[kind].type}.v2+${format}`;
}
