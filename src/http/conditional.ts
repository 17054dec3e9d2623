import type { IncomingHttpHeaders } from 'node:http';
import type { Endpoint } from './endpoint.ts';
import { notFound, preconditionFailed, type Detail, type Problem } from './problem.ts';

/** One tag of a list (RFC 9110, 8.8.3), whether it is weak, and the separators around it: elements may be empty. */
const TAG = /^[\s,]*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,[\s,]*|$)/;

type Conditions = {
  /** The states of a resource that If-Match names (RFC 9110, 13.1.1); null for any. A weak tag never matches. */
  match: readonly string[] | null;
  /** Whether If-None-Match (RFC 9110, 13.1.2) names this state of a resource. */
  isKnown: (etag: string) => boolean;
};

type Conditional = Pick<Endpoint, 'method' | 'etag' | 'ifMatch'>;

const NONE: Conditions = { match: null, isKnown: () => false };

/** Whether an operation accepts If-Match. */
export function takesIfMatch({ method, etag, ifMatch }: Conditional): boolean {
  return ifMatch !== undefined || (etag === true && (method === 'PATCH' || method === 'DELETE'));
}

/** The conditions of a request. @param offences invalid headers are added here */
export function conditionsOf(
  endpoint: Conditional,
  headers: IncomingHttpHeaders,
  offences: Detail[],
): Conditions {
  if (endpoint.etag && endpoint.method === 'GET') {
    return { ...NONE, isKnown: knownOf(headers['if-none-match'], offences) };
  }
  return takesIfMatch(endpoint) ? { ...NONE, match: matchOf(headers['if-match'], offences) } : NONE;
}

function matchOf(header: string | undefined, offences: Detail[]): readonly string[] | null {
  if (header === undefined || header.trim() === '*') return null;
  return tagsOf('If-Match', header, offences).flatMap(({ tag, isWeak }) => (isWeak ? [] : [tag]));
}

/** Whether If-None-Match names a state, in a weak comparison (RFC 9110, 13.1.2). */
export function knownOf(header: string | undefined, offences: Detail[] = []): (etag: string) => boolean {
  if (header === undefined) return NONE.isKnown;
  if (header.trim() === '*') return () => true;
  const tags = new Set(tagsOf('If-None-Match', header, offences).map(({ tag }) => tag));
  return (etag) => tags.has(etag);
}

function tagsOf(field: string, header: string, offences: Detail[]): { tag: string; isWeak: boolean }[] {
  const tags: { tag: string; isWeak: boolean }[] = [];
  for (let rest = header; rest.trim() !== '';) {
    const match = TAG.exec(rest);
    if (!match) {
      offences.push({ field, message: 'must be *, or entity tags in double quotes as ETag gave them' });
      return [];
    }
    tags.push({ tag: match[2]!, isWeak: match[1] !== undefined });
    rest = rest.slice(match[0].length);
  }
  if (tags.length === 0) offences.push({ field, message: 'must not be empty' });
  return tags;
}

/** @throws {Problem} precondition_failed when If-Match does not name the current state */
export function requireMatch(etag: string, match: readonly string[] | null, what: string): void {
  if (match && !match.includes(etag)) throw preconditionFailed(what);
}

/** Why a change found no row though one exists: If-Match names another state, or the row was gone for a moment. */
export function missed(match: readonly string[] | null, what: string): Problem {
  return match ? preconditionFailed(what) : notFound(what);
}
