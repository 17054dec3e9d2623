import { useDeferredValue, useState } from 'react';
import { useQuery } from '@tanstack/react-query';
import {
  Button,
  ComboBox as AriaComboBox,
  FieldError,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { Icon } from './icon.tsx';
import type { FieldText } from './text-field.tsx';
import './field.css';
import './menu.css';

export type Found = { id: string; label: string; detail?: string };

/** One of many, found by typing. `search` is asked with what was typed, and its answers are kept. */
export function ComboBox({
  label,
  hideLabel = false,
  searchKey,
  search,
  initialText = '',
  onChoose,
  error,
  placeholder,
  autoFocus = false,
}: FieldText & {
  /** Begins the key under which answers are kept: `['companies', 'choose']`. */
  searchKey: readonly string[];
  search: (text: string, signal: AbortSignal) => Promise<readonly Found[]>;
  initialText?: string;
  /** null when the field was emptied. */
  onChoose: (found: Found | null) => void;
  error?: string | undefined;
  placeholder?: string;
  autoFocus?: boolean;
}) {
  const words = useWords(shared);
  const [text, setText] = useState(initialText);
  const asked = useDeferredValue(text.trim());
  const { data, isFetching, isPlaceholderData } = useQuery({
    queryKey: [...searchKey, asked],
    queryFn: ({ signal }) => search(asked, signal),
  });
  // The answer to an earlier text is not shown: who types fast and presses Enter would choose from it.
  const found = data === undefined || isPlaceholderData ? [] : data;
  const [chosen, setChosen] = useState<Found>();
  // What is chosen and not among the items, React Aria takes for gone, and empties the field.
  const items = chosen && !found.some(({ id }) => id === chosen.id) ? [...found, chosen] : found;
  return (
    <AriaComboBox
      className="field"
      items={items}
      inputValue={text}
      onInputChange={(next) => {
        setText(next);
        if (next !== '') return;
        setChosen(undefined);
        onChoose(null);
      }}
      onChange={(key) => {
        const next = items.find(({ id }) => id === key);
        if (!next) return;
        setChosen(next);
        setText(next.label);
        onChoose(next);
      }}
      allowsEmptyCollection
      menuTrigger="focus"
      autoFocus={autoFocus}
      {...(error ? { isInvalid: true } : {})}
    >
      <Label className={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</Label>
      <div className="field-group">
        <Input placeholder={placeholder} />
        <Button className="button" data-kind="quiet" data-square>
          <Icon name="down" />
        </Button>
      </div>
      <FieldError className="field-error">{error}</FieldError>
      <Popover className="popover" offset={4}>
        <ListBox<Found>
          className="listbox"
          renderEmptyState={() => (
            <p className="menu-title">{isFetching ? words.loading : words.noneFound}</p>
          )}
        >
          {({ id, label, detail }) => (
            <ListBoxItem id={id} className="menu-item" textValue={label}>
              <span className="menu-text truncate">{label}</span>
              {detail && <span className="muted">{detail}</span>}
            </ListBoxItem>
          )}
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}
