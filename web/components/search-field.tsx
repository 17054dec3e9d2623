import { useEffect, useEffectEvent, useState } from 'react';
import { Button, Input, Label, SearchField as AriaSearchField } from 'react-aria-components';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { Icon } from './icon.tsx';
import './field.css';

/** Long enough that typing a word causes one request. */
const PAUSE_MS = 200;

/** Tells what was typed after a short pause, so that it can be kept in the address. */
export function SearchField({
  label,
  value,
  onChange,
  autoFocus = false,
}: {
  label: string;
  value: string;
  onChange: (text: string) => void;
  autoFocus?: boolean;
}) {
  const words = useWords(shared);
  const [text, setText] = useState(value);
  const [last, setLast] = useState(value);
  if (value !== last) {
    setLast(value);
    setText(value);
  }
  const tell = useEffectEvent((next: string) => {
    if (next === value) return;
    setLast(next);
    onChange(next);
  });
  useEffect(() => {
    const timer = setTimeout(() => tell(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <AriaSearchField className="field search-field" value={text} onChange={setText} autoFocus={autoFocus}>
      <Label className="visually-hidden">{label}</Label>
      <div className="field-group">
        <Icon name="search" />
        <Input placeholder={label} />
        {text !== '' && (
          <Button className="button" data-kind="quiet" data-square aria-label={words.clear}>
            <Icon name="close" />
          </Button>
        )}
      </div>
    </AriaSearchField>
  );
}
