import { z } from 'zod';
import { namedCompany } from '../companies/named.ts';
import { nextTask } from '../companies/overview-schema.ts';
import { companyId } from '../companies/schema.ts';
import { timestamp } from '../http/fields.ts';
import { cursorPage, cursorPaging, limitOf } from '../http/paging.ts';
import { person } from '../members/named.ts';
import { userId } from '../members/schema.ts';
import { offer, OFFER_STATUSES } from './schema.ts';

/** An offer as the application shows it. */
const card = z.strictObject({
  ...offer.shape,
  /** When its status was set. */
  status_since: timestamp,
  updated_at: timestamp,
  etag: z.string(),
  company: namedCompany,
  owner: person,
  /** The company's open task that is due first. */
  next_task: nextTask.omit({ user_id: true }).extend({ overdue: z.boolean() }).nullable(),
});

export const cardAnswer = z.strictObject({ data: card });

const owner = userId.optional().meta({ description: 'Offers that this user owns.' });
const status = z.enum(OFFER_STATUSES);

export const cardsQuery = z.strictObject({
  user_id: owner,
  company_id: companyId.optional().meta({ description: 'Offers to the company with this id.' }),
  status: status.optional().meta({ description: 'Offers of this status.' }),
  sort: z.enum(['-updated_at', 'updated_at', 'status_since', '-status_since']).optional(),
  ...cursorPaging,
});
export const cardsAnswer = z.strictObject({ data: z.array(card), page: cursorPage });

export const boardQuery = z
  .strictObject({
    user_id: owner,
    status: status.optional().meta({ description: 'This column alone.' }),
    limit: limitOf({ max: 100, usual: 50 }).meta({ description: 'Cards of each column; 50 when absent.' }),
    cursor: z.string().optional().meta({ description: '`next_cursor` of the column; with `status`.' }),
  })
  .refine(({ cursor, status: column }) => !cursor || column !== undefined, {
    path: ['cursor'],
    message: 'must be given together with status',
  });

export const boardAnswer = z.strictObject({
  data: z.array(
    z.strictObject({
      status,
      /** Offers closed before this are left out; null for a column of open ones. */
      since: timestamp.nullable(),
      cards: z.array(card),
      next_cursor: z.string().nullable(),
    }),
  ),
});

/** A sum of kroner, which may be more than a JavaScript number holds exactly. */
const kroner = z.string().regex(/^\d+$/);

const sums = z.strictObject({
  count: z.int(),
  one_time: kroner,
  /** Per year. */
  recurring: kroner,
  /** One-time and a year's recurring revenue, each times its offer's weight. */
  weighted: kroner,
});

export const sumsQuery = z.strictObject({ user_id: owner });
export const sumsAnswer = z.strictObject({
  data: z.strictObject({
    /** Offers accepted or rejected before this do not count. */
    since: timestamp,
    open: sums,
    by_status: z.array(z.strictObject({ status, ...sums.shape })),
    /** Of open offers. */
    by_owner: z.array(z.strictObject({ owner: person, ...sums.shape })),
  }),
});

export type Card = z.output<typeof card>;
export type Sums = z.output<typeof sums>;
export type OfferStatus = z.output<typeof status>;
