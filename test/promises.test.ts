import { describe, expect, test } from 'vitest';
import { judge } from './promises.ts';

const HEADERS = {
  'x-request-id': 'abc',
  'cache-control': 'no-store',
  'content-type': 'application/json; charset=utf-8',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
};
const ACCOUNT = {
  tenant_id: '018f3a50-1111-7222-8333-444444444444',
  user_id: '018f3a52-0000-7000-8000-000000000001',
  permissions: 255,
};
const PROBLEM = { error: 'x must be y', code: 'invalid_request' };

function judged(status: number, body: unknown): () => void {
  const answer = { status, headers: HEADERS, text: JSON.stringify(body), body };
  return () => judge({ method: 'GET', path: '/api/v1/me' }, answer);
}

/** Callers are told to ignore what they do not know; this release still answers only with what it describes. */
describe('the judge of answers', () => {
  test('lets pass what is described', () => {
    expect(judged(200, { data: ACCOUNT })).not.toThrow();
    expect(judged(400, PROBLEM)).not.toThrow();
    expect(judged(400, { ...PROBLEM, details: [{ field: 'x', message: 'must be y' }] })).not.toThrow();
  });

  test.each([
    ['beside data', 200, { data: ACCOUNT, extra: 1 }],
    ['in data', 200, { data: { ...ACCOUNT, extra: 1 } }],
    ['in an error', 400, { ...PROBLEM, extra: 1 }],
    ['in a detail', 400, { ...PROBLEM, details: [{ field: 'x', message: 'y', extra: 1 }] }],
  ])('refuses a member that is not described, %s', (_, status, body) => {
    expect(judged(status, body)).toThrow('must NOT have additional properties');
  });

  test('refuses a code that is not known, and a status that is not declared', () => {
    expect(judged(400, { ...PROBLEM, code: 'odd' })).toThrow('must be equal to one of the allowed values');
    expect(judged(404, { ...PROBLEM, code: 'not_found' })).toThrow('a status that the operation does not');
  });
});
