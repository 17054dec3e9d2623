import { z } from 'zod';
import type { Generated } from 'kysely';
import { requiredText, text, timestamp, uuid, wholeNumber } from '../http/fields.ts';

export const OFFER_STATUSES = ['new', 'sent', 'negotiating', 'accepted', 'rejected'] as const;
export const RECURRING_FREQUENCIES = ['monthly', 'quarterly', 'yearly'] as const;

const revenue = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** What a caller sets on creation and may change later. */
const fields = {
  title: requiredText(255).meta({ examples: ['Serviceavtale 2027'] }),
  description: text(20_000).nullable(),
  company_id: uuid.meta({ description: 'CRM id of a company in the workspace.' }),
  user_id: uuid.meta({ description: 'Owner: a user of the workspace.' }),
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

const offer = z
  .strictObject({
    id: uuid,
    ...fields,
    title: z.string(),
    description: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'Offer' });

export const offerCreate = z
  .strictObject({
    id: uuid
      .optional()
      .meta({ description: 'Save it before sending: a repeat after a timeout then answers 409.' }),
    ...fields,
    description: fields.description.default(null),
    status: fields.status.default('new'),
    one_time_revenue: fields.one_time_revenue.default(0),
    recurring_revenue: fields.recurring_revenue.default(0),
    recurring_frequency: fields.recurring_frequency.default('monthly'),
    weight: fields.weight.default(50),
  })
  .meta({ id: 'OfferCreate' });

export const offerUpdate = z.strictObject(fields).partial().meta({ id: 'OfferUpdate' });
export const offerParams = z.strictObject({ id: uuid });
export const offerAnswer = z.strictObject({ data: offer });

export type Offer = z.output<typeof offer>;
export type OfferCreate = z.output<typeof offerCreate>;
export type OfferUpdate = z.output<typeof offerUpdate>;

export const OFFER_COLUMNS = Object.keys(offer.shape) as (keyof Offer)[];
export const OFFER_CREATED = Object.keys(offerCreate.shape) as (keyof OfferCreate)[];
export const OFFER_CHANGEABLE = Object.keys(fields) as (keyof OfferUpdate)[];

export type OffersTable = Omit<Offer, 'created_at'> & {
  tenant_id: string;
  created_at: Generated<string>;
  updated_at: Generated<string>;
};
