import { useFilters } from '../client/filters.ts';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { Button as AriaButton, Menu, MenuTrigger, Popover } from 'react-aria-components';
import { Button } from './button.tsx';
import { Icon } from './icon.tsx';
import { MenuOption } from './menu.tsx';
import type { Option } from './select.tsx';
import './button.css';
import './menu.css';
import './toolbar.css';

export type Filter = {
  /** The search parameter of the address. */
  name: string;
  label: string;
  options: readonly Option[];
};

const ALL = ' ';

/** Filters that the address holds, each a menu of one choice; goes into a Toolbar. */
export function FilterBar({ filters }: { filters: readonly Filter[] }) {
  const words = useWords(shared);
  const { values, set } = useFilters();
  const chosen = filters.filter(({ name }) => values[name] !== undefined);
  return (
    <>
      {filters.map(({ name, label, options }) => {
        const value = options.find(({ id }) => id === values[name]);
        return (
          <MenuTrigger key={name}>
            <AriaButton
              className="button filter"
              data-kind="normal"
              data-size="small"
              data-chosen={value ? '' : undefined}
            >
              <span className="button-text">{value ? `${label}: ${value.label}` : label}</span>
              <Icon name="down" />
            </AriaButton>
            <Popover className="popover" offset={4}>
              <Menu
                className="menu"
                selectionMode="single"
                selectedKeys={[value?.id ?? ALL]}
                onAction={(key) => set({ [name]: key === ALL ? undefined : String(key) })}
              >
                {[{ id: ALL, label: words.all }, ...options].map(({ id, label }) => (
                  <MenuOption key={id} id={id} label={label} />
                ))}
              </Menu>
            </Popover>
          </MenuTrigger>
        );
      })}
      {chosen.length > 0 && (
        <Button
          size="small"
          kind="quiet"
          onPress={() => set(Object.fromEntries(chosen.map(({ name }) => [name, undefined])))}
        >
          {words.clear}
        </Button>
      )}
    </>
  );
}
