import { sql, type RawBuilder } from 'kysely';
import { deleteRecorded, restoreRecorded } from '../changes/deleted.ts';
import type { Subject } from '../changes/record.ts';
import { etag, insertRecorded, insertion, list, updateRecorded, type IfMatch } from '../changes/write.ts';
import { insertedColumns, patchedColumn, patchedColumns, type PatchParameters } from '../db/columns.ts';
import { wordsOfChanged, wordsOfGone, wordsOfNew, type Words } from '../db/search.ts';
import { statement, statementBy } from '../db/statement.ts';
import type { Change } from '../db/tenant.ts';
import {
  OFFER_CHANGEABLE,
  OFFER_COLUMNS,
  OFFER_CREATED,
  OFFER_SHOWN,
  OPEN_STATUSES,
  type Offer,
  type OfferCreate,
  type OfferUpdate,
} from './schema.ts';

/** How the change log describes an offer. */
export const offerSubject = {
  resource: 'offer' as const,
  fields: OFFER_CHANGEABLE,
  shown: OFFER_SHOWN,
} satisfies Subject;

/** Whether an offer is open. */
export const IS_OPEN = sql`status in (${sql.join(OPEN_STATUSES.map((status) => sql.lit(status)))})`;

/** The words that offers are searched by: those of their titles. */
export const offerWords: Words = { table: 'offer_words', owner: 'offer_id' };

const returned = [...OFFER_COLUMNS, etag];

export type StoredOffer = Offer & { etag: string };

export const findOffer = statement(
  'find offer',
  (p: { tenant: string; id: string }) => sql<StoredOffer>`
    select ${list(returned)} from offers where tenant_id = ${p.tenant} and id = ${p.id}`,
);

/** Returns no row when the workspace has used the id. An accepted offer gets weight 100. */
export const insertOffer = statement('insert offer', (p: Required<OfferCreate> & Change) =>
  insertRecorded<StoredOffer>(p, {
    insert: insertion('offers', p.tenant, {
      ...insertedColumns(OFFER_CREATED, p),
      weight: sql`case when ${p.status}::text = 'accepted' then 100 else ${p.weight} end`,
    }),
    subject: offerSubject,
    returned,
    also: [wordsOfNew(offerWords)],
  }),
);

/**
 * Changes an offer. An offer that is accepted after the change has weight 100, whatever was supplied (contract,
 * "States"). A status is set only while the stored one is still `seen_status`; otherwise returns no row.
 */
export const updateOffer = statementBy(
  'has_title',
  'update offer',
  (
    p: PatchParameters<Required<OfferUpdate>> & Change & IfMatch & { id: string; seen_status: string | null },
    isRenamed,
  ) =>
    updateRecorded<StoredOffer>(p, {
      table: 'offers',
      key: sql`id = ${p.id}`,
      set: {
        ...patchedColumns(OFFER_CHANGEABLE, p),
        weight: sql`case when (${patchedColumn('status', p)}) = 'accepted' then 100 else ${patchedColumn('weight', p)} end`,
      },
      silently: { status_since: statusSince(p) },
      onlyIf: sql`(not ${p.has_status}::boolean or before.status = ${p.seen_status})`,
      subject: offerSubject,
      returned,
      also: isRenamed ? wordsOfChanged(offerWords, p.tenant) : [],
    }),
);

/** The time of the change if it sets another status, else the stored time. Citus rejects now() inside a case. */
function statusSince(p: PatchParameters<Required<OfferUpdate>>): RawBuilder<unknown> {
  const isChanged = sql`(${patchedColumn('status', p)}) is distinct from before.status`;
  return sql`case when ${isChanged} then before.changed_at else before.status_since end`;
}

/** The statements that delete and restore an offer. */
export const offerDeletion = {
  delete: statement('delete offer', (p: Change & IfMatch & { id: string }) =>
    deleteRecorded(p, {
      table: 'offers',
      key: sql`id = ${p.id}`,
      subject: offerSubject,
      also: [wordsOfGone(offerWords, p.tenant)],
    }),
  ),
  restore: statement('restore offer', (p: Change & { id: string }) =>
    restoreRecorded<StoredOffer>(p, {
      table: 'offers',
      columns: ['tenant_id', ...OFFER_COLUMNS, 'status_since', 'version'],
      subject: offerSubject,
      returned,
      also: [wordsOfNew(offerWords)],
    }),
  ),
};
