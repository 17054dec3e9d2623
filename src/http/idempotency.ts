import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { sql } from 'kysely';
import type { Database, Queryable } from '../db/connect.ts';
import { LateTransaction } from '../db/late-transaction.ts';
import { builder, statement } from '../db/statement.ts';
import type { Answer } from './endpoint.ts';
import { Problem, type Detail } from './problem.ts';

type RememberedTable = {
  tenant_id: string;
  scope: string;
  idempotency_key: string;
  fingerprint: Buffer | null;
  body: string | null;
  etag: string | null;
  status: number;
  contact_id: string | null;
  created_at: string;
};

/** The key of a remembered answer. */
type Name = { tenant: string; scope: string; idempotency_key: string };

const query = builder<{ remembered_answers: RememberedTable }>();

const TTL = sql`interval '24 hours'`;

const findRemembered = statement('find remembered answer', (p: Name) =>
  query
    .selectFrom('remembered_answers')
    .where('tenant_id', '=', p.tenant)
    .where('scope', '=', p.scope)
    .where('idempotency_key', '=', p.idempotency_key)
    .where('created_at', '>', sql<string>`now() - ${TTL}`)
    .select(['fingerprint', 'body', 'etag', 'status']),
);

/** Returns no row when an answer is already stored. */
const remember = statement(
  'remember answer',
  (
    p: Name & {
      fingerprint: Buffer;
      body: string;
      etag: string | null;
      status: number;
      contact_id: string | null;
    },
  ) =>
    query
      .insertInto('remembered_answers')
      .values({
        tenant_id: p.tenant,
        scope: p.scope,
        idempotency_key: p.idempotency_key,
        fingerprint: p.fingerprint,
        body: p.body,
        etag: p.etag,
        status: p.status,
        contact_id: p.contact_id,
        created_at: sql`now()`,
      })
      .onConflict((conflict) =>
        conflict
          .columns(['tenant_id', 'scope', 'idempotency_key'])
          .doUpdateSet((is) => ({
            fingerprint: is.ref('excluded.fingerprint'),
            body: is.ref('excluded.body'),
            etag: is.ref('excluded.etag'),
            status: is.ref('excluded.status'),
            contact_id: is.ref('excluded.contact_id'),
            created_at: is.ref('excluded.created_at'),
          }))
          // The difference of two times is an immutable expression, which shards require here.
          .where(sql<boolean>`excluded.created_at - remembered_answers.created_at >= ${TTL}`),
      )
      .returning('status'),
);

/** Checks the age of each locked row again: its key may have been reused since. */
export const deleteExpiredAnswers = statement('delete expired answers', (p: { batch: number }) =>
  query
    .deleteFrom('remembered_answers')
    .where('created_at', '<=', (expression) =>
      expression
        .selectFrom(
          query
            .selectFrom('remembered_answers')
            .select('created_at')
            .where('created_at', '<=', sql<string>`now() - ${TTL}`)
            .orderBy('created_at')
            .limit(p.batch)
            .as('oldest'),
        )
        .select(({ fn }) => fn.max('oldest.created_at').as('created_at')),
    )
    .returning('status'),
);

/** Held until the transaction ends. */
const tryLock = statement('try lock of idempotency key', (p: { name: string }) =>
  query.selectNoFrom(sql<boolean>`pg_try_advisory_xact_lock(hashtextextended(${p.name}, 0))`.as('locked')),
);

/** An answer as text, and whether it repeats an earlier one. */
export type Given = { status: number; body: string; etag?: string; isReplay: boolean };

/** The Idempotency-Key of a request. @param offences an invalid one is added here */
export function idempotencyKey(headers: IncomingHttpHeaders, offences: Detail[]): string | undefined {
  const key = headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key === 'string' && /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  offences.push({
    field: 'Idempotency-Key',
    message: 'must be 1 to 255 visible ASCII characters, given once',
  });
  return undefined;
}

/**
 * Carries a write out once, no matter how often it is sent: its answer is stored in the same transaction. A request
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
    handle: (on: Queryable) => Promise<Answer>,
  ): Promise<Given> {
    const fingerprint = fingerprintOf(request);
    const earlier = await this.#db.row(findRemembered, name);
    if (earlier) return replay(earlier, fingerprint);
    const id = JSON.stringify([name.tenant, name.scope, name.idempotency_key]);
    if (this.#underWay.has(id)) throw inProgress();
    this.#underWay.add(id);
    try {
      return await this.#carryOut(name, id, fingerprint, handle);
    } catch (error) {
      if (error instanceof Repeated) return replay(error.earlier, fingerprint);
      // It may have failed because a concurrent request with the same key succeeded, for example on its own id.
      const twin = error instanceof Problem ? await this.#db.row(findRemembered, name) : undefined;
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
    handle: (on: Queryable) => Promise<Answer>,
  ): Promise<Given> {
    const transaction = new LateTransaction(this.#db, async (on) => {
      if (!(await on.row(tryLock, { name: id }))?.locked) throw inProgress();
      const earlier = await on.row(findRemembered, name);
      if (earlier) throw new Repeated(earlier);
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

type Remembered = { fingerprint: Buffer | null; body: string | null; etag: string | null; status: number };

/** Another process carried the request out first. */
class Repeated extends Error {
  readonly earlier: Remembered;

  constructor(earlier: Remembered) {
    super('carried out before');
    this.earlier = earlier;
  }
}

function replay({ fingerprint, body, etag, status }: Remembered, sent: Buffer): Given {
  if (fingerprint === null || body === null) {
    throw new Problem('erased', 'The answer to this Idempotency-Key held a person who has been erased');
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

function fingerprintOf({ operation, body }: { operation: string; body: unknown }): Buffer {
  return createHash('sha256')
    .update(`${operation}\n${canonical(body)}`)
    .digest();
}

/** JSON with the members of each object sorted, so that their order makes no difference. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
