import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { offerWords } from './words.ts';

type Worth = {
  one_time_revenue: number;
  recurring_revenue: number;
  recurring_frequency: 'monthly' | 'quarterly' | 'yearly';
};

/** Above this, an amount is written short; the whole one shows to those who point at it. */
const LONG = 100_000_000;

/** What an offer is worth: once, and per period where that is anything. */
export function useAmounts() {
  const words = useWords(offerWords);
  const format = useFormat();
  const amount = (value: number, period = (text: string) => text) => ({
    short: period(value < LONG ? format.amount(value) : format.compactAmount(value)),
    whole: period(format.amount(value)),
  });
  return ({
    one_time_revenue: once,
    recurring_revenue: recurring,
    recurring_frequency: frequency,
  }: Worth) => [
    ...(once > 0 || recurring === 0 ? [amount(once)] : []),
    ...(recurring > 0 ? [amount(recurring, words[frequency])] : []),
  ];
}

export function OfferAmount({ card }: { card: Worth }) {
  const amounts = useAmounts();
  return (
    <span className="offer-amount">
      {amounts(card).map(({ short, whole }) => (
        <span key={whole} title={short === whole ? undefined : whole}>
          {short}
        </span>
      ))}
    </span>
  );
}
