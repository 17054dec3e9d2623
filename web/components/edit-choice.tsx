import { useRef, type ReactNode } from 'react';
import { ComboBox, type Found } from './combo-box.tsx';
import { EditInPlace } from './edit-in-place.tsx';
import { Select, type Option } from './select.tsx';

/** One of a few choices, edited in place. */
export function EditSelect<Id extends string>({
  label,
  options,
  value,
  shown = options.find(({ id }) => id === value)?.label,
  onBegin,
  onSave,
  isDisabled = false,
}: {
  label: string;
  options: readonly Option<Id>[];
  value: Id;
  /** The value as it is shown outside of editing, where that is more than its label. */
  shown?: ReactNode;
  onBegin?: () => void;
  onSave: (id: Id) => Promise<unknown>;
  isDisabled?: boolean;
}) {
  return (
    <EditInPlace<Id>
      label={label}
      shown={shown}
      onBegin={onBegin}
      onSave={onSave}
      isDisabled={isDisabled}
      edit={({ save, restore }) => (
        <Leavable onLeave={restore} isKeptClosed>
          <Select
            label={label}
            hideLabel
            options={options}
            value={value}
            onChange={(next) => (next === value ? restore() : save(next))}
            autoFocus
          />
        </Leavable>
      )}
    />
  );
}

/** One of many, found by typing, edited in place; emptying the field takes the value away, unless it is required. */
export function EditComboBox({
  label,
  value,
  searchKey,
  search,
  nothing,
  onBegin,
  onSave,
  isRequired = false,
  isDisabled = false,
}: {
  label: string;
  value: Found | null;
  searchKey: readonly string[];
  search: (text: string, signal: AbortSignal) => Promise<readonly Found[]>;
  nothing?: 'noneFound' | 'noCompanyFound';
  onBegin?: () => void;
  onSave: (found: Found | null) => Promise<unknown>;
  isRequired?: boolean;
  isDisabled?: boolean;
}) {
  return (
    <EditInPlace<Found | null>
      label={label}
      shown={value?.label}
      onBegin={onBegin}
      onSave={onSave}
      isDisabled={isDisabled}
      edit={({ save, restore }) => (
        // Emptying the field is not yet a choice: another name may follow.
        <Leavable onLeave={restore} onEmptied={value && !isRequired ? () => save(null) : restore}>
          <ComboBox
            label={label}
            hideLabel
            searchKey={searchKey}
            search={search}
            {...(nothing && { nothing })}
            initial={value}
            onChoose={(found) => {
              if (found?.id === value?.id) restore();
              else if (found) save(found);
            }}
            autoFocus
          />
        </Leavable>
      )}
    />
  );
}

/** Keys that choose on a closed list. The space key is not among them: it opens the list. */
const CHOOSING = /^(?:\S|ArrowLeft|ArrowRight)$/u;

function isClosed(target: EventTarget): boolean {
  return target instanceof HTMLElement && target.getAttribute('aria-expanded') === 'false';
}

/** Escape, and leaving for anything but the list that belongs to it, give up editing. */
function Leavable({
  onLeave,
  onEmptied,
  isKeptClosed = false,
  children,
}: {
  onLeave: () => void;
  /** Whether keys choose in the open list only: a letter on a closed one would choose, and what is chosen is saved. */
  isKeptClosed?: boolean;
  /** Called on Enter in an empty field, and when the field is left empty. */
  onEmptied?: () => void;
  children: React.ReactNode;
}) {
  const typed = useRef('');
  /** Whether the person has emptied the field, and nothing of the list has the focus. */
  const isEmpty = (target: EventTarget) =>
    typed.current === '' &&
    target instanceof HTMLInputElement &&
    target.value === '' &&
    !target.hasAttribute('aria-activedescendant');
  return (
    <div
      role="presentation"
      // Input of the person alone: React Aria also empties a field that is left with a text that chose nothing.
      onInputCapture={({ target }) => {
        if (target instanceof HTMLInputElement) typed.current = target.value;
      }}
      onKeyDownCapture={(event) => {
        const isShortcut = event.ctrlKey || event.metaKey || event.altKey;
        if (isKeptClosed && !isShortcut && isClosed(event.target) && CHOOSING.test(event.key)) {
          event.preventDefault();
          event.stopPropagation();
        }
        if (event.key !== 'Enter' || !onEmptied || !isEmpty(event.target)) return;
        event.stopPropagation();
        onEmptied();
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        // Escape ends this edit alone: it does not close what is around it.
        event.stopPropagation();
        onLeave();
      }}
      onBlur={({ currentTarget, relatedTarget, target }) => {
        if (!relatedTarget || relatedTarget.closest('.popover')) return;
        if (currentTarget.contains(relatedTarget)) return;
        if (onEmptied && isEmpty(target)) onEmptied();
        else onLeave();
      }}
    >
      {children}
    </div>
  );
}
