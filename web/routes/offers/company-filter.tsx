import { useFilters } from '../../client/filters.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { COMPANY_SEARCH } from '../../components/company-search.ts';
import { useWords } from '../../words/dictionary.ts';
import { offerWords } from './words.ts';

/** Shows the offers of one company alone. Its name is in the address beside its id, so that a link shows the name. */
export function CompanyFilter() {
  const words = useWords(offerWords);
  const { values, set } = useFilters<'company_id' | 'company'>();
  const { company_id: id, company: label } = values;
  return (
    <div className="company-filter">
      <ComboBox
        label={words.company}
        hideLabel
        placeholder={words.company}
        {...COMPANY_SEARCH}
        initial={id && label ? { id, label } : null}
        onChoose={(found) => {
          if (found?.id !== id) set({ company_id: found?.id, company: found?.label });
        }}
      />
    </div>
  );
}
