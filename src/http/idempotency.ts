import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sql } from 'kysely';
import type { Database, Queryable } from '../db/connect.ts';
import { LateTransaction } from '../db/late-transaction.ts';
import { statement } from '../db/statement.ts';
import type { Answer } from './endpoint.ts';
import { Problem, type Detail, type ProblemCode } from './problem.ts';

/** The key of a remembered answer. */
type Name = { tenant: string; scope: string; idempotency_key: string };

type Remembered = { fingerprint: Buffer | null; body: string | null; etag: string | null; status: number };

const TTL = sql`interval '24 hours'`;

const findRemembered = statement(
  'find remembered answer',
  (p: Name) => sql<Remembered>`
    select fingerprint, body, etag, status from remembered_answers
    where tenant_id = ${p.tenant} and scope = ${p.scope} and idempotency_key = ${p.idempotency_key}
      and created_at > now() - ${TTL}`,
);

/**
 * Returns no row when an answer is already stored. A table on shards requires an immutable expression in the
 * condition, such as the difference of two times.
 */
const remember = statement(
  'remember answer',
  (p: Name & Remembered & { contact_id: string | null }) => sql<{ status: number }>`
    insert into remembered_answers
      (tenant_id, scope, idempotency_key, fingerprint, body, etag, status, contact_id, created_at)
    values (${p.tenant}, ${p.scope}, ${p.idempotency_key}, ${p.fingerprint}, ${p.body}, ${p.etag}, ${p.status},
      ${p.contact_id}, now())
    on conflict (tenant_id, scope, idempotency_key) do update set
      fingerprint = excluded.fingerprint, body = excluded.body, etag = excluded.etag, status = excluded.status,
      contact_id = excluded.contact_id, created_at = excluded.created_at
    where excluded.created_at - remembered_answers.created_at >= ${TTL}
    returning status`,
);

/** Checks the age of each locked row again: its key may have been reused since. */
export const deleteExpiredAnswers = statement(
  'delete expired answers',
  (p: { batch: number }) => sql<{ status: number }>`
    delete from remembered_answers where created_at <= (
      select max(created_at) from (
        select created_at from remembered_answers
        where created_at <= now() - ${TTL} order by created_at limit ${p.batch}) as oldest)
    returning status`,
);

/** Held until the transaction ends. */
const tryLock = statement(
  'try lock of idempotency key',
  (p: { name: string }) => sql<{ locked: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${p.name}, 0)) as locked`,
);

/** A caller who lost their rights meanwhile does not get the answer of a concurrent request. */
const REFUSALS: ReadonlySet<ProblemCode> = new Set(['unauthorized', 'workspace_changed', 'forbidden']);

/** An answer as text, and whether it repeats an earlier one. */
export type GivenAnswer = { status: number; body: string; etag?: string; isReplay: boolean };

/** The form of an Idempotency-Key: 1 to 255 visible ASCII characters. */
export const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

/** The Idempotency-Key of a request. @param offences an invalid one is added here */
export function idempotencyKey(headers: IncomingHttpHeaders, offences: Detail[]): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return key;
  offences.push({
    field: 'Idempotency-Key',
    message: 'must be 1 to 255 visible ASCII characters, given once',
  });
  return undefined;
}

/**
 * Executes a write once, no matter how often it is sent: its answer is stored in the same transaction. A request
 * that fails is not stored, and one that dies leaves nothing behind.
 */
export class Repeats {
  readonly #db: Database;
  /** Requests in progress in this process; other processes are kept out by the lock. */
  readonly #underWay = new Set<string>();

  constructor(db: Database) {
    this.#db = db;
  }

  /**
   * @param request.operation method and path, with the path parameters
   * @param request.body as parsed
   * @param handle the write; it must use its argument for every statement
   * @throws {Problem} idempotency_key_reused, request_in_progress, erased
   */
  async once(
    name: Name,
    request: { operation: string; body: unknown },
    handle: (transaction: Queryable) => Promise<Answer>,
  ): Promise<GivenAnswer> {
    const fingerprint = hash('sha256', `${request.operation}\n${canonical(request.body)}`, 'buffer');
    const earlier = await this.#db.row(findRemembered, name);
    if (earlier) return replay(earlier, fingerprint);
    const id = JSON.stringify([name.tenant, name.scope, name.idempotency_key]);
    if (this.#underWay.has(id)) throw inProgress();
    this.#underWay.add(id);
    try {
      return await this.#carryOut(name, id, fingerprint, handle);
    } catch (error) {
      // It may have failed because a concurrent request with the same key succeeded, for example on its own id.
      const mayHaveTwin = error instanceof Problem && !REFUSALS.has(error.code);
      const twin = mayHaveTwin ? await this.#db.row(findRemembered, name) : undefined;
      if (twin) return replay(twin, fingerprint);
      throw error;
    } finally {
      this.#underWay.delete(id);
    }
  }

  async #carryOut(
    name: Name,
    id: string,
    fingerprint: Buffer,
    handle: (transaction: Queryable) => Promise<Answer>,
  ): Promise<GivenAnswer> {
    const transaction = new LateTransaction(this.#db, async (begun) => {
      const { locked } = (await begun.row(tryLock, { name: id }))!;
      // Another process may have carried the request out before the lock was free: `once` looks for its answer.
      if (!locked || (await begun.row(findRemembered, name))) throw inProgress();
    });
    try {
      const { status, body, etag, contact = null } = await handle(transaction);
      const text = body === undefined ? '' : JSON.stringify(body);
      const kept = { ...name, fingerprint, body: text, etag: etag ?? null, status, contact_id: contact };
      if (!(await transaction.row(remember, kept))) throw inProgress();
      await transaction.commit();
      return { status, body: text, isReplay: false, ...(etag !== undefined && { etag }) };
    } catch (error) {
      await transaction.rollback();
      throw error;
    }
  }
}

function replay({ fingerprint, body, etag, status }: Remembered, sent: Buffer): GivenAnswer {
  if (fingerprint === null || body === null) {
    throw new Problem('erased', 'The answer to this Idempotency-Key held data that have since been erased');
  }
  if (!fingerprint.equals(sent)) {
    throw new Problem(
      'idempotency_key_reused',
      'This Idempotency-Key was sent with another operation or body; use a new key for a new request',
    );
  }
  return { status, body, isReplay: true, ...(etag !== null && { etag }) };
}

function inProgress(): Problem {
  return new Problem(
    'request_in_progress',
    'A request with this Idempotency-Key is in progress; repeat it as Retry-After says to get its answer',
    { headers: { 'retry-after': '1' } },
  );
}

/** JSON with the members of each object sorted, so that their order makes no difference. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
