import { useState } from 'react';
import {
  Button,
  ComboBox as AriaComboBox,
  Group,
  Input,
  Label,
  ListBox,
  ListBoxItem,
  Popover,
} from 'react-aria-components';
import { searchText, useAnswers } from '../client/answers.ts';
import { useWords } from '../words/dictionary.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { EarlierAnswers } from './earlier-answers.tsx';
import { Icon } from './icon.tsx';
import { useIsLocked } from './submission.ts';
import { FieldFault, type FieldText } from './text-field.tsx';
import './field.css';
import './menu.css';

export type Found = { id: string; label: string; detail?: string };

/** `isKept`: is chosen, and not found by what is typed. */
type Item = Found & { isKept?: boolean };

/** One of many, found by typing. `search` is asked with what was typed, and its answers are kept. */
export function ComboBox({
  label,
  hideLabel = false,
  searchKey,
  search,
  nothing = 'noneFound',
  initial,
  follows = false,
  onChoose,
  error,
  placeholder,
  autoFocus = false,
  minLength = 0,
}: FieldText & {
  /** Begins the key under which answers are kept: `['companies', 'choose']`. */
  searchKey: readonly string[];
  search: (text: string, signal: AbortSignal) => Promise<readonly Found[]>;
  /** What is said when nothing was found. */
  nothing?: 'noneFound' | 'noCompanyFound';
  /** What is chosen at first. */
  initial?: Found | null;
  /** Whether a later value of `initial` is chosen, too. What is being typed stays. */
  follows?: boolean;
  /** null when the field was emptied; called for what is chosen already, too. */
  onChoose: (found: Found | null) => void;
  error?: string | undefined;
  placeholder?: string;
  autoFocus?: boolean;
  /** A shorter text is not searched for. */
  minLength?: number;
}) {
  const words = useWords(shared);
  const problemText = useProblemText();
  const isLocked = useIsLocked();
  const [text, setText] = useState(initial?.label ?? '');
  const { found, earlier, error: failure } = useAnswers(searchKey, text, search, { minLength });
  const [chosen, setChosen] = useState(initial ?? undefined);
  const [isFocused, setIsFocused] = useState(false);
  const [followed, setFollowed] = useState({ id: initial?.id, round: 0 });
  if (follows && initial?.id !== followed.id) {
    const isNews = initial?.id !== chosen?.id;
    // React Aria takes a choice from outside only when the field is mounted: a new field is, and keeps the focus.
    setFollowed({ id: initial?.id, round: followed.round + (isNews ? 1 : 0) });
    if (isNews) {
      if (text === (chosen?.label ?? '')) setText(initial?.label ?? '');
      setChosen(initial ?? undefined);
    }
  }
  const items = withChosen(found, chosen);
  const saySearch = () =>
    !found && earlier.length > 0 && !failure ? (
      <EarlierAnswers>
        {earlier.map((item) => (
          <div key={item.id} className="menu-item">
            <FoundItem {...item} />
          </div>
        ))}
      </EarlierAnswers>
    ) : (
      <p className="menu-title">{failure ? problemText(failure) : found ? words[nothing] : words.loading}</p>
    );
  return (
    <AriaComboBox
      key={followed.round}
      className="field"
      items={items}
      {...(initial && { defaultValue: initial.id })}
      inputValue={text}
      onInputChange={(next) => {
        setText(next);
        if (next !== '') return;
        setChosen(undefined);
        onChoose(null);
      }}
      // `onChange` is not called when the same item is chosen again.
      onSelectionChange={(key) => {
        const next = items.find(({ id }) => id === key);
        if (!next) return;
        setChosen(next);
        setText(next.label);
        onChoose(next);
      }}
      allowsEmptyCollection={searchText(text).length >= minLength}
      menuTrigger={minLength > 0 ? 'input' : 'focus'}
      autoFocus={isFocused || (autoFocus && followed.round === 0)}
      isReadOnly={isLocked}
      onFocus={() => setIsFocused(true)}
      onBlur={() => setIsFocused(false)}
      {...(error ? { isInvalid: true } : {})}
    >
      <Label className={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</Label>
      <Group
        className="field-group"
        onKeyDownCapture={(event) => {
          if (event.key !== 'Enter') return;
          const focused = event.currentTarget.querySelector('input')?.getAttribute('aria-activedescendant');
          const key = document.getElementById(focused ?? '')?.dataset['key'];
          // React Aria calls nothing for Enter on the selected item.
          if (chosen && (key === undefined ? text === chosen.label : key === chosen.id)) onChoose(chosen);
          if (found) return;
          // React Aria would put what was chosen before in place of what is typed.
          event.preventDefault();
          event.stopPropagation();
        }}
      >
        <Input placeholder={placeholder} />
        {minLength === 0 && (
          <Button className="button" data-kind="quiet" data-square>
            <Icon name="down" />
          </Button>
        )}
      </Group>
      <FieldFault error={error} />
      <Popover className="popover" offset={4}>
        <ListBox<Item> className="listbox" renderEmptyState={saySearch}>
          {({ isKept, ...item }) =>
            isKept && !(found && text === item.label) ? (
              <ListBoxItem id={item.id} textValue={item.label} isDisabled hidden={Boolean(found?.length)}>
                {saySearch()}
              </ListBoxItem>
            ) : (
              <ListBoxItem id={item.id} className="menu-item" textValue={item.label}>
                <FoundItem {...item} />
              </ListBoxItem>
            )
          }
        </ListBox>
      </Popover>
    </AriaComboBox>
  );
}

function FoundItem({ label, detail }: Found) {
  return (
    <>
      <span className="menu-text truncate">{label}</span>
      {detail && <span className="muted">{detail}</span>}
    </>
  );
}

/** What is chosen is always an item: otherwise React Aria takes it for gone, and empties the field when it is left. */
function withChosen(found: readonly Found[] = [], chosen: Found | undefined): readonly Item[] {
  return chosen && !found.some(({ id }) => id === chosen.id)
    ? [...found, { ...chosen, isKept: true }]
    : found;
}
