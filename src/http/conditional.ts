import type { IncomingHttpHeaders } from 'node:http';
import { invalidRequest, preconditionFailed } from './problem.ts';

/** One tag of a list (RFC 9110, 8.8.3), what follows it, and whether it is weak. */
const TAG = /^\s*(W\/)?"([\x21\x23-\x7e\x80-\xff]*)"\s*(?:,|$)/;

/**
 * The states of a resource that If-Match names (RFC 9110, 13.1.1); null for any. A weak tag never matches.
 * @throws {Problem} invalid_request
 */
export function ifMatch(headers: IncomingHttpHeaders): readonly string[] | null {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return null;
  return tagsOf('If-Match', header).flatMap(({ tag, isWeak }) => (isWeak ? [] : [tag]));
}

/** Whether If-None-Match (RFC 9110, 13.1.2) names this state of a resource. @throws {Problem} invalid_request */
export function isKnownToCaller(headers: IncomingHttpHeaders, etag: string): boolean {
  const header = headers['if-none-match'];
  if (header === undefined) return false;
  return header.trim() === '*' || tagsOf('If-None-Match', header).some(({ tag }) => tag === etag);
}

function tagsOf(field: string, header: string): { tag: string; isWeak: boolean }[] {
  const tags: { tag: string; isWeak: boolean }[] = [];
  for (let rest = header; rest.trim() !== '';) {
    const match = TAG.exec(rest);
    if (!match) {
      throw invalidRequest([
        { field, message: 'must be *, or entity tags in double quotes as ETag gave them' },
      ]);
    }
    tags.push({ tag: match[2]!, isWeak: match[1] !== undefined });
    rest = rest.slice(match[0].length);
  }
  if (tags.length === 0) throw invalidRequest([{ field, message: 'must not be empty' }]);
  return tags;
}

/** @throws {Problem} precondition_failed when the state is none of those that If-Match names */
export function requireMatch(etag: string, match: readonly string[] | null, what: string): void {
  if (match && !match.includes(etag)) throw preconditionFailed(what);
}
