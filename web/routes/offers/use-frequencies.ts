import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';

/** The periods of a recurring amount, to choose from. */
export function useFrequencies() {
  const { frequency } = useWords(shared);
  return (['monthly', 'quarterly', 'yearly'] as const).map((id) => ({ id, label: frequency[id] }));
}
