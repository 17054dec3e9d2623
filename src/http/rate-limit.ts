import { TokenBucket } from 'limiter';
import { LRUCache } from 'lru-cache';

/** The state of a subject's limit after a request was counted. */
export type Standing = {
  allowed: boolean;
  /** Whole seconds until a request will be allowed; 0 when this one was. */
  retryAfterSeconds: number;
  /** Value of the RateLimit header (IETF draft): requests left, seconds until all are back. */
  header: string;
};

export type RateLimiter = {
  /** Value of the RateLimit-Policy header. */
  readonly policy: string;
  /**
   * Counts one request of a subject (a key's id, an address).
   * @param cost how many requests it counts as, at most the whole limit
   */
  count(subject: string, cost?: number): Standing;
  /** Subtracts a cost that was known only later. The balance can fall to minus the whole limit. */
  charge(subject: string, cost: number): void;
  /** Undoes the count of one request. */
  refund(subject: string): void;
};

/** The most subjects stored; the least recently used is dropped first, and its bucket is full again by then. */
const MAX_SUBJECTS = 20_000;

/**
 * A token bucket for each subject: `requests` at once, refilled evenly over `seconds`.
 * @param name of the policy, shown in the headers
 */
export function rateLimiter(
  name: string,
  { requests, seconds }: { requests: number; seconds: number },
): RateLimiter {
  const buckets = new LRUCache<string, TokenBucket>({ max: MAX_SUBJECTS, memoMethod: fullBucket });
  const perSecond = requests / seconds;

  function fullBucket(): TokenBucket {
    const bucket = new TokenBucket({
      bucketSize: requests,
      tokensPerInterval: requests,
      interval: seconds * 1000,
    });
    bucket.content = requests;
    return bucket;
  }

  return {
    policy: `"${name}";q=${requests};w=${seconds}`,
    count(subject, cost = 1) {
      const bucket = buckets.memo(subject);
      const price = Math.min(cost, requests);
      const allowed = bucket.tryRemoveTokens(price);
      const left = Math.max(0, Math.floor(bucket.content));
      const full = Math.ceil((requests - bucket.content) / perSecond);
      return {
        allowed,
        retryAfterSeconds: allowed ? 0 : Math.max(1, Math.ceil((price - bucket.content) / perSecond)),
        header: `"${name}";r=${left};t=${full}`,
      };
    },
    charge(subject, cost) {
      const bucket = buckets.memo(subject);
      bucket.content = Math.max(-requests, bucket.content - cost);
    },
    refund(subject) {
      const bucket = buckets.memo(subject);
      bucket.content = Math.min(requests, bucket.content + 1);
    },
  };
}
