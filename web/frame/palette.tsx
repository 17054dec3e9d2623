import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import {
  Autocomplete,
  Dialog,
  Header,
  Input,
  Menu,
  MenuItem,
  MenuSection,
  SearchField,
} from 'react-aria-components';
import { searchText } from '../client/answers.ts';
import { EarlierAnswers } from '../components/earlier-answers.tsx';
import { Icon, type IconName } from '../components/icon.tsx';
import { Overlay } from '../components/overlay.tsx';
import { useFound, type FoundItem } from '../routes/search/found.ts';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { useCommandList, type Command } from './commands.tsx';
import { Keys } from './keys.tsx';
import { frameWords } from './words.ts';
import '../components/menu.css';
import './palette.css';

/** How many results of each kind are shown. */
const MOST = 5;
/** Long enough that typing a word causes one request. */
const PAUSE_MS = 120;

/** Everything that can be done here, by name, and what the service finds for what is typed. */
export function Palette({ onClose }: { onClose: () => void }) {
  const words = useWords(frameWords);
  const { loading } = useWords(shared);
  const navigate = useNavigate();
  const commands = useCommandList().filter(({ id, isHidden }) => !isHidden && id !== 'palette');
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase().split(/\s+/);
  const found = commands.filter((command) => matches(command, wanted));
  const groups = [...new Set(found.map(({ group }) => group))];
  const { groups: results, isError, isCurrent, q } = useFound(usePaused(text), MOST);
  const hasText = text.trim() !== '';
  const isAnswered = (isCurrent || isError) && q === searchText(text);
  const isWaiting = hasText && !isAnswered;
  const hasEarlier = isWaiting && results.length > 0;
  const run = (id: string) => {
    const result = results.flatMap(({ items }) => items).find((item) => item.id === id);
    onClose();
    if (result) void navigate({ to: result.to, search: result.search ?? {} });
    else if (id === 'search') void navigate({ to: '/search', search: { q: text.trim() } });
    else commands.find((command) => command.id === id)?.run();
  };
  return (
    <Overlay className="palette" onClose={onClose}>
      <Dialog aria-label={words.palette} className="palette-dialog">
        <Autocomplete inputValue={text} onInputChange={setText}>
          <SearchField
            aria-label={words.paletteHint}
            autoFocus
            className="palette-field"
            onKeyDown={(event) => {
              // By default, Escape would only empty the field.
              if (event.key === 'Escape') onClose();
              else event.continuePropagation();
            }}
          >
            <Icon name="search" />
            <Input placeholder={words.paletteHint} />
          </SearchField>
          <div className="palette-answers">
            <Menu
              className="menu palette-menu"
              aria-label={words.palette}
              onAction={(key) => run(String(key))}
              renderEmptyState={() => (
                <p className={hasEarlier ? 'visually-hidden' : 'palette-empty'}>
                  {isWaiting ? loading : words.paletteEmpty}
                </p>
              )}
            >
              {groups.map((group) => (
                <MenuSection key={group} className="menu-section">
                  <Header className="menu-title">{group}</Header>
                  {found
                    .filter((command) => command.group === group)
                    .map(({ id, label, keys }) => (
                      <MenuItem key={id} id={id} className="menu-item" textValue={label}>
                        <span className="menu-text">{label}</span>
                        {keys && <Keys keys={keys} />}
                      </MenuItem>
                    ))}
                </MenuSection>
              ))}
              {isAnswered &&
                results.map(({ id, title, icon, items }) => (
                  <MenuSection key={id} className="menu-section">
                    <Header className="menu-title">{title}</Header>
                    {items.map((item) => (
                      <MenuItem key={item.id} id={item.id} className="menu-item" textValue={item.label}>
                        <Result item={item} icon={icon} />
                      </MenuItem>
                    ))}
                  </MenuSection>
                ))}
              {/* Last, and not shown before the results, so that Enter takes the first result. */}
              {isAnswered && (
                <MenuItem id="search" className="menu-item" textValue={words.searchFor(text.trim())}>
                  <Icon name="search" />
                  <span className="menu-text truncate">{words.searchFor(text.trim())}</span>
                </MenuItem>
              )}
            </Menu>
            {hasEarlier && (
              <EarlierAnswers>
                <div className="menu">
                  {results.map(({ id, title, icon, items }) => (
                    <div key={id} className="menu-section">
                      <div className="menu-title">{title}</div>
                      {items.map((item) => (
                        <div key={item.id} className="menu-item">
                          <Result item={item} icon={icon} />
                        </div>
                      ))}
                    </div>
                  ))}
                </div>
              </EarlierAnswers>
            )}
          </div>
        </Autocomplete>
      </Dialog>
    </Overlay>
  );
}

function Result({ item, icon }: { item: FoundItem; icon: IconName }) {
  return (
    <>
      <Icon name={icon} />
      <span className="palette-label truncate">{item.label}</span>
      <span className="palette-detail truncate muted">{item.detail}</span>
    </>
  );
}

/** The text once typing has paused. */
function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}

function matches({ label, words = '', group }: Command, wanted: readonly string[]): boolean {
  const text = ` ${label} ${words} ${group}`.toLowerCase();
  return wanted.every((part) => text.includes(` ${part}`));
}
