import { useFilters } from '../../client/filters.ts';
import { DatePicker } from '../../components/date-picker.tsx';
import { useWords } from '../../words/dictionary.ts';
import { dayOf, type FilterName } from './filters.ts';
import { words } from './words.ts';

/** The first and the last day of the history that is shown; either may be left open. */
export function Days() {
  const said = useWords(words);
  const { values, set } = useFilters<FilterName>();
  const [from, to] = [dayOf(values.from), dayOf(values.to)];
  const isBackwards = from !== undefined && to !== undefined && to.compare(from) < 0;
  return (
    <div className="history-days">
      <DatePicker
        label={said.from}
        value={from?.toString() ?? null}
        onChange={(day) => set({ from: day ?? undefined })}
      />
      <DatePicker
        label={said.to}
        value={to?.toString() ?? null}
        onChange={(day) => set({ to: day ?? undefined })}
        error={isBackwards ? said.backwards : undefined}
      />
    </div>
  );
}
