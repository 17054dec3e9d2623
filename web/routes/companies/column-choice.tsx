import { Header, MenuSection } from 'react-aria-components';
import { useFilters } from '../../client/filters.ts';
import { MenuOption } from '../../components/menu.tsx';
import { useWords } from '../../words/dictionary.ts';
import { chosenColumns, columnsParameter, useColumnLabels } from './columns.tsx';
import type { ListSearch } from './list-query.ts';
import { words } from './words.ts';

/** Which columns the list has; goes into its menu. */
export function ColumnChoice({ search }: { search: ListSearch }) {
  const said = useWords(words);
  const labels = useColumnLabels();
  const { set } = useFilters<'columns'>();
  return (
    <MenuSection
      className="menu-section"
      selectionMode="multiple"
      selectedKeys={chosenColumns(search)}
      onSelectionChange={(keys) =>
        set({
          columns: columnsParameter(keys === 'all' ? labels.map(({ id }) => id) : [...keys].map(String)),
        })
      }
    >
      <Header className="menu-title">{said.columns}</Header>
      {labels.map(({ id, label }) => (
        <MenuOption key={id} id={id} label={label} />
      ))}
    </MenuSection>
  );
}
