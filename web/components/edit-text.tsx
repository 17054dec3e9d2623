import {
  useEffectEvent,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  type FocusEvent,
  type KeyboardEvent,
} from 'react';
import { BreakableAddress } from './breakable-address.tsx';
import { EditInPlace, type Editing } from './edit-in-place.tsx';
import './field.css';

/** A line of text, or several, edited in place. Enter (with several, Ctrl or Cmd and Enter) saves, as does leaving. */
export function EditText({
  label,
  value,
  onBegin,
  onSave,
  rows,
  type = 'text',
  maxLength = 255,
  isRequired = false,
  isAddress = false,
  isDisabled = false,
}: {
  label: string;
  value: string | null;
  onBegin?: () => void;
  /** null for a blank text. */
  onSave: (value: string | null) => Promise<unknown>;
  rows?: number;
  type?: 'text' | 'email' | 'tel' | 'url';
  maxLength?: number;
  /** Whether a field that was emptied keeps its value. */
  isRequired?: boolean;
  /** Whether it is an email or web address, which wraps after its @ and its dots. */
  isAddress?: boolean;
  isDisabled?: boolean;
}) {
  return (
    <EditInPlace<string | null>
      label={label}
      shown={value && isAddress ? <BreakableAddress address={value} /> : value || undefined}
      isDisabled={isDisabled}
      onBegin={onBegin}
      onSave={onSave}
      edit={(editing) => (
        <TextEditor
          {...editing}
          value={value}
          rows={rows}
          type={type}
          maxLength={maxLength}
          isRequired={isRequired}
        />
      )}
    />
  );
}

/** Stays mounted for the whole edit, even if a save fails. */
function TextEditor({
  value,
  rows,
  type,
  maxLength,
  isRequired,
  save,
  restore,
  finisher,
  labelledBy,
}: Editing<string | null> & {
  value: string | null;
  rows: number | undefined;
  type: string;
  maxLength: number;
  isRequired: boolean;
}) {
  const field = useRef<HTMLInputElement & HTMLTextAreaElement>(null);
  /** Leaving a field that was not edited saves nothing: changes of others and blanks stay. */
  const began = useRef<string | null>(undefined);
  const finish = (ending: 'by-key' | 'by-leaving', isGone = false) => {
    const next = textIn(field.current);
    const isMissing = isRequired && next === null;
    if (!isMissing && next !== value && next !== began.current) {
      began.current = undefined;
      save(next, ending);
    } else if (!isGone) restore();
  };
  useImperativeHandle(finisher, () => () => finish('by-key'));
  const leave = useEffectEvent(() => finish('by-leaving', true));
  // The field may be removed with what is around it, which fires no blur event.
  useLayoutEffect(() => {
    // Read from the field: browsers write the ends of lines in their own way.
    began.current = textIn(field.current);
    return () => leave();
  }, []);
  const props = {
    ref: field,
    className: 'field-input',
    'aria-labelledby': labelledBy,
    autoFocus: true,
    maxLength,
    defaultValue: value ?? '',
    onKeyDown: (event: KeyboardEvent) => {
      if (event.nativeEvent.isComposing) return;
      if (event.key === 'Escape') {
        event.stopPropagation();
        restore();
      }
      const isSent = rows === undefined || event.ctrlKey || event.metaKey;
      if (event.key !== 'Enter' || !isSent) return;
      // As in `EditInPlace`, for several lines.
      event.preventDefault();
      finish('by-key');
    },
    onBlur: () => finish('by-leaving'),
  };
  if (rows === undefined) return <input {...props} type={type} />;
  return <textarea {...props} rows={rows} onFocus={goToEnd} />;
}

/** null for a blank text. */
function textIn(field: HTMLInputElement | null): string | null {
  return field?.value.trim() || null;
}

/** Browsers put the cursor of a textarea before its text. */
function goToEnd({ currentTarget: field }: FocusEvent<HTMLTextAreaElement>): void {
  field.setSelectionRange(field.value.length, field.value.length);
}
