import { Button, Header, Menu, MenuItem, MenuSection, MenuTrigger, Popover } from 'react-aria-components';
import { useFilters } from '../../client/filters.ts';
import { Icon } from '../../components/icon.tsx';
import { useWords } from '../../words/dictionary.ts';
import { chosenColumns, columnsParameter, useColumnLabels } from './columns.tsx';
import { sortOf, SORTS, type ListSearch } from './list-query.ts';
import { words } from './words.ts';
import '../../components/button.css';
import '../../components/menu.css';

/** How the list is sorted, and which columns it has. */
export function DisplayMenu({ search }: { search: ListSearch }) {
  const said = useWords(words);
  const labels = useColumnLabels();
  const { set } = useFilters<keyof ListSearch>();
  return (
    <MenuTrigger>
      <Button className="button" data-kind="quiet" data-size="small">
        <Icon name="columns" />
        <span className="button-text">{said.display}</span>
      </Button>
      <Popover className="popover" offset={4}>
        <Menu className="menu">
          <MenuSection
            className="menu-section"
            selectionMode="single"
            disallowEmptySelection
            selectedKeys={[sortOf(search)]}
            onSelectionChange={(keys) => {
              const sort = SORTS.find((name) => keys !== 'all' && keys.has(name));
              set({ sort: sort === 'name' ? undefined : sort });
            }}
          >
            <Header className="menu-title">{said.sort}</Header>
            {SORTS.map((name) => (
              <Item key={name} id={name} label={said.sorts[name]} />
            ))}
          </MenuSection>
          <MenuSection
            className="menu-section"
            selectionMode="multiple"
            selectedKeys={chosenColumns(search)}
            onSelectionChange={(keys) =>
              set({
                columns: columnsParameter(
                  keys === 'all' ? labels.map(({ id }) => id) : [...keys].map(String),
                ),
              })
            }
          >
            <Header className="menu-title">{said.columns}</Header>
            {labels.map(({ id, label }) => (
              <Item key={id} id={id} label={label} />
            ))}
          </MenuSection>
        </Menu>
      </Popover>
    </MenuTrigger>
  );
}

function Item({ id, label }: { id: string; label: string }) {
  return (
    <MenuItem id={id} className="menu-item" textValue={label}>
      {({ isSelected }) => (
        <>
          {isSelected ? <Icon name="check" /> : <span className="menu-space" />}
          <span className="menu-text">{label}</span>
        </>
      )}
    </MenuItem>
  );
}
