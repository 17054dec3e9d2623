import { z } from 'zod';
import { companyId } from '../companies/schema.ts';
import { requiredText, suppliedId, text, timestamp, uuid, wholeNumber } from '../http/fields.ts';
import { updatedSince } from '../http/filters.ts';
import { cursorPage, cursorPaging } from '../http/paging.ts';
import { userId } from '../members/schema.ts';

/** Statuses of open offers; offers with other statuses are closed. */
export const OPEN_STATUSES = ['new', 'sent', 'negotiating'] as const;
export const OFFER_STATUSES = [...OPEN_STATUSES, 'accepted', 'rejected'] as const;
const RECURRING_FREQUENCIES = ['monthly', 'quarterly', 'yearly'] as const;

const revenue = wholeNumber(0, Number.MAX_SAFE_INTEGER, 'must be whole kroner, without decimals');

/** Fields that a caller sets on creation and may change later. */
const fields = {
  title: requiredText(255).meta({ examples: ['Serviceavtale 2027'] }),
  description: text(20_000).nullable(),
  company_id: companyId.meta({
    description: 'Id of a company in the workspace, not its organisation number.',
  }),
  user_id: userId.meta({ description: 'Owner: a user of the workspace.' }),
  status: z.enum(OFFER_STATUSES),
  one_time_revenue: revenue.meta({ description: 'Whole NOK, excluding VAT.', examples: [50000] }),
  recurring_revenue: revenue.meta({ description: 'Whole NOK, excluding VAT, per period.', examples: [1500] }),
  recurring_frequency: z
    .enum(RECURRING_FREQUENCIES)
    .meta({ description: 'The period of the recurring revenue.' }),
  weight: wholeNumber(0, 100).meta({
    description: 'Probability of winning, in percent. Always 100 while the offer is accepted.',
  }),
};

export const offer = z
  .strictObject({
    id: uuid,
    ...fields,
    title: z.string(),
    description: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({
    id: 'Offer',
    examples: [
      {
        id: '018f3a55-44aa-7d02-93bc-1a2b3c4d5e6f',
        title: 'Serviceavtale 2027',
        description: null,
        company_id: '018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10',
        user_id: '018f3a52-0000-7000-8000-000000000001',
        status: 'new',
        one_time_revenue: 50000,
        recurring_revenue: 1500,
        recurring_frequency: 'monthly',
        weight: 50,
        created_at: '2026-01-15T09:00:00.000Z',
      },
    ],
  });

export const offerCreate = z
  .strictObject({
    id: suppliedId,
    ...fields,
    description: fields.description.default(null),
    status: fields.status.default('new'),
    one_time_revenue: fields.one_time_revenue.default(0),
    recurring_revenue: fields.recurring_revenue.default(0),
    recurring_frequency: fields.recurring_frequency.default('monthly'),
    weight: fields.weight.default(50),
  })
  .meta({
    id: 'OfferCreate',
    examples: [
      {
        id: '018f3a55-44aa-7d02-93bc-1a2b3c4d5e6f',
        user_id: '018f3a52-0000-7000-8000-000000000001',
        title: 'Serviceavtale 2027',
        company_id: '018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10',
        one_time_revenue: 50000,
        recurring_revenue: 1500,
      },
    ],
  });

export const offerUpdate = z
  .strictObject(fields)
  .partial()
  .meta({ id: 'OfferUpdate', examples: [{ status: 'accepted' }] });
export const offerParams = z.strictObject({ id: uuid.meta({ description: 'Id of the offer.' }) });
export const offerAnswer = z.strictObject({ data: offer });

export const offersQuery = z.strictObject({
  user_id: userId.optional().meta({ description: 'Offers that this user owns.' }),
  company_id: companyId.optional().meta({ description: 'Offers to the company with this id.' }),
  status: z.enum(OFFER_STATUSES).optional().meta({ description: 'Offers of this status.' }),
  updated_since: updatedSince,
  sort: z
    .enum(['id', 'updated_at', '-updated_at'])
    .optional()
    .meta({ description: '`id` when absent; ties are broken by id.' }),
  ...cursorPaging,
});
export const offersAnswer = z.strictObject({ data: z.array(offer), page: cursorPage });

export type Offer = z.output<typeof offer>;
export type OfferCreate = z.output<typeof offerCreate>;
export type OfferUpdate = z.output<typeof offerUpdate>;

export const OFFER_COLUMNS = Object.keys(offer.shape) as (keyof Offer)[];
export const OFFER_CREATED = Object.keys(offerCreate.shape) as (keyof OfferCreate)[];
/** Fields whose values the change log shows: statuses, flags, numbers and references, never text. */
export const OFFER_SHOWN = [
  'company_id',
  'user_id',
  'status',
  'one_time_revenue',
  'recurring_revenue',
  'weight',
] as const satisfies readonly (keyof OfferUpdate)[];
export const OFFER_CHANGEABLE = Object.keys(fields) as (keyof OfferUpdate)[];
