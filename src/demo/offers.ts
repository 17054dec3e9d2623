import type { Company } from '../companies/schema.ts';
import { offerCreate, type Offer } from '../offers/schema.ts';
import { idAt, momentAt } from './calendar.ts';
import type { Draw } from './draw.ts';
import { later, type DemoRows, type Story } from './story.ts';
import { PRODUCTS } from './texts.ts';

/** Statuses of the offers to a company; each company gets one of these lists. */
const COURSES: Record<Company['status'], Offer['status'][][]> = {
  lead: [[], [], [], ['new']],
  prospect: [['new'], ['sent'], ['sent'], ['negotiating'], ['negotiating', 'new'], ['rejected', 'sent']],
  customer: [
    ['accepted'],
    ['accepted'],
    ['accepted', 'accepted'],
    ['accepted', 'sent'],
    ['rejected', 'accepted'],
  ],
  former_customer: [['accepted'], ['accepted', 'rejected']],
  disqualified: [[], ['rejected']],
};

/** How likely an offer of a status is to be won, in percent. */
const WEIGHTS: Record<Offer['status'], readonly number[]> = {
  new: [10, 20, 30],
  sent: [40, 50],
  negotiating: [60, 70, 80],
  accepted: [100],
  rejected: [0],
};

/** Companies with more employees than this get larger offers. */
const LARGE = 500;

/** Amounts are rounded to this many kroner. */
const stepOf = (amount: number) => (amount < 50_000 ? 500 : 5_000);

export function planOffers({ company, from, until, author }: Story, today: Temporal.PlainDate, draw: Draw) {
  const statuses = draw.pick(COURSES[company.status]);
  return statuses.map((status, index): DemoRows['offers'][number] => {
    const day = from + Math.floor(((until - from) * (index + 1)) / (statuses.length + 1));
    const created_at = later(company.created_at, momentAt(today, day, draw));
    const { title, once, recurring, frequency } = draw.pick(PRODUCTS);
    const factor = company.employees > LARGE ? 4 : 1;
    const amount = ([least, most]: readonly [number, number]) => {
      const drawn = draw.number(least, most) * factor;
      return Math.round(drawn / stepOf(drawn)) * stepOf(drawn);
    };
    const offer = {
      ...offerCreate.decode({
        title: `${title} ${Temporal.Instant.from(created_at).toZonedDateTimeISO('UTC').year}`,
        company_id: company.id,
        user_id: author,
        status,
        one_time_revenue: amount(once),
        recurring_revenue: amount(recurring),
        recurring_frequency: frequency,
        weight: draw.pick(WEIGHTS[status]),
      }),
      id: idAt(created_at),
      created_at,
      updated_at: later(created_at, momentAt(today, draw.number(day, until), draw)),
    };
    return { ...offer, status_since: status === 'new' ? created_at : offer.updated_at };
  });
}
