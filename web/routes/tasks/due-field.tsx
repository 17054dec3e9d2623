import { Suspense, useId, useState } from 'react';
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components';
import { Icon } from '../../components/icon.tsx';
import { useIsLocked } from '../../components/submission.ts';
import { lazyPart } from '../../frame/lazy-part.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { readDue, type Due } from './due-text.ts';
import { tasksWords } from './words.ts';
import '../../components/button.css';
import '../../components/date-picker.css';
import '../../components/field.css';
import '../../components/menu.css';

const DueCalendar = lazyPart(async () => (await import('./due-calendar.tsx')).DueCalendar);

/**
 * A field for a due date: typed in words, such as "i morgen" or "fredag kl. 14", with the date that they mean shown
 * beside them, or chosen from a calendar.
 */
export function DueField({
  text,
  onChange,
  onEnter,
  hasError = false,
  autoFocus = false,
  showsLabel = false,
}: {
  text: string;
  onChange: (text: string) => void;
  onEnter?: (text: string) => void;
  hasError?: boolean;
  autoFocus?: boolean;
  /** For a place where nothing else says what the field is. */
  showsLabel?: boolean;
}) {
  const words = useWords(tasksWords);
  const format = useFormat();
  const hint = useId();
  const [isOpen, setIsOpen] = useState(false);
  const isLocked = useIsLocked();
  const today = format.today();
  const due = readDue(text, today);
  const meaning = due ? writeDue(due, format) : '';
  return (
    <div className="field due-field">
      {showsLabel && (
        <label className="field-label" htmlFor={`${hint}-input`}>
          {words.due}
        </label>
      )}
      <div className="field-group" data-invalid={hasError || undefined}>
        <input
          id={`${hint}-input`}
          aria-label={words.due}
          aria-describedby={hint}
          aria-invalid={hasError || undefined}
          value={text}
          readOnly={isLocked}
          autoFocus={autoFocus}
          autoComplete="off"
          onFocus={({ currentTarget }) => currentTarget.select()}
          onChange={({ target }) => onChange(target.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && onEnter) {
              event.preventDefault();
              onEnter(text);
            }
          }}
        />
        <span id={hint} className="due-meaning muted">
          {meaning === text ? '' : meaning}
        </span>
        <DialogTrigger isOpen={isOpen && !isLocked} onOpenChange={setIsOpen}>
          <Button className="button" data-kind="quiet" data-square aria-label={words.openCalendar}>
            <Icon name="calendar" />
          </Button>
          <Popover className="popover" offset={4}>
            <Dialog className="calendar" aria-label={words.openCalendar}>
              <Suspense>
                <DueCalendar
                  day={due?.day ?? today}
                  onChoose={(day) => {
                    setIsOpen(false);
                    const chosen = writeDue({ day, time: due?.time ?? null }, format);
                    onChange(chosen);
                    onEnter?.(chosen);
                  }}
                />
              </Suspense>
            </Dialog>
          </Popover>
        </DialogTrigger>
      </div>
      {hasError && (
        <span className="field-error" role="alert">
          {words.dueHint}
        </span>
      )}
    </div>
  );
}

/** A due date in words that `readDue` can read back. */
export function writeDue({ day, time }: Due, format: ReturnType<typeof useFormat>): string {
  const date = format.date(day);
  return time === null ? date : `${date} ${time}`;
}
