import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { offerWords } from './words.ts';

type Worth = {
  one_time_revenue: number;
  recurring_revenue: number;
  recurring_frequency: 'monthly' | 'quarterly' | 'yearly';
};

/** What an offer is worth: once, and per period where that is anything. */
export function OfferAmount({ card }: { card: Worth }) {
  const words = useWords(offerWords);
  const format = useFormat();
  const { one_time_revenue: once, recurring_revenue: recurring, recurring_frequency: frequency } = card;
  return (
    <span className="offer-amount">
      {(once > 0 || recurring === 0) && <span>{format.amount(once)}</span>}
      {recurring > 0 && <span>{words[frequency](format.amount(recurring))}</span>}
    </span>
  );
}
