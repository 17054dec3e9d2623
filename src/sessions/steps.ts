import { sql } from 'kysely';
import type { Queryable } from '../db/connect.ts';
import { statement } from '../db/statement.ts';
import { digestOf } from '../keys/key.ts';

/** How long a person has to finish: at a provider they may have to find their phone first. */
const LIFETIME_MINUTES = 10;

type StepKind = 'passkey' | 'new_passkey' | 'provider';

const insertStep = statement(
  'insert step',
  (p: { digest: Buffer; kind: StepKind; user_id: string | null; content: string }) => sql<{ kind: string }>`
    insert into sign_in_steps (digest, kind, user_id, content, expires_at)
    values (${p.digest}, ${p.kind}, ${p.user_id}, ${p.content}::jsonb, now() + make_interval(mins => ${sql.lit(LIFETIME_MINUTES)}))
    returning kind`,
);

const takeStep = statement(
  'take step',
  (p: { digest: Buffer; kind: StepKind }) => sql<{ user_id: string | null; content: unknown }>`
    with gone as (
      delete from sign_in_steps where digest = ${p.digest} and kind = ${p.kind}
      returning user_id, content, expires_at)
    select user_id, content from gone where expires_at > now()`,
);

export const deleteOldSteps = statement(
  'delete old steps',
  (p: { batch: number }) => sql<{ kind: string }>`
    delete from sign_in_steps
    where digest in (select digest from sign_in_steps where expires_at < now() limit ${p.batch})
    returning kind`,
);

/** Remembers what an answer will be checked with, under a random value that comes back with it. */
export async function beginStep(
  db: Queryable,
  step: { kind: StepKind; random: string; user_id: string | null; content: object },
): Promise<void> {
  const { random, content, ...rest } = step;
  await db.row(insertStep, { ...rest, digest: digestOf(random), content: JSON.stringify(content) });
}

/** Returns what was remembered, and forgets it; undefined when nothing was remembered, or too long ago. */
export async function endStep(
  db: Queryable,
  kind: StepKind,
  random: string,
): Promise<{ user_id: string | null; content: unknown } | undefined> {
  return db.row(takeStep, { kind, digest: digestOf(random) });
}
