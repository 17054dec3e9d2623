import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shortAmount } from './sum-text.ts';
import { offerWords } from './words.ts';
import './offer-amount.css';

type Worth = {
  one_time_revenue: number;
  recurring_revenue: number;
  recurring_frequency: 'monthly' | 'quarterly' | 'yearly';
};

/** What an offer is worth: the one-time amount, the amount per period, or both. */
export function useAmounts() {
  const words = useWords(offerWords);
  const format = useFormat();
  const amount = (value: number, period = (text: string) => text) => ({
    short: period(shortAmount(format, value)),
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

/** Pointing at an amount that is written short shows the whole amount. */
export function OfferAmount({ offer }: { offer: Worth }) {
  const amounts = useAmounts();
  return (
    <span className="offer-amount">
      {amounts(offer).map(({ short, whole }) => (
        <span key={whole} title={short === whole ? undefined : whole}>
          {short}
        </span>
      ))}
    </span>
  );
}
