import type { FocusEvent, KeyboardEvent } from 'react';
import { EditInPlace } from './edit-in-place.tsx';
import './field.css';

/** A line of text, or several, edited in place: Enter (with several, Ctrl or Cmd and Enter) or leaving saves. */
export function EditText({
  label,
  value,
  onSave,
  rows,
  type = 'text',
  maxLength = 255,
  isDisabled = false,
}: {
  label: string;
  value: string | null;
  /** null for nothing but spaces. */
  onSave: (value: string | null) => Promise<unknown>;
  rows?: number;
  type?: 'text' | 'email' | 'tel' | 'url';
  maxLength?: number;
  isDisabled?: boolean;
}) {
  return (
    <EditInPlace<string | null>
      label={label}
      shown={value ?? undefined}
      isDisabled={isDisabled}
      onSave={onSave}
      edit={({ save, restore, labelledBy }) => {
        const finish = (text: string) => {
          const next = text.trim() === '' ? null : text.trim();
          if (next === value) restore();
          else save(next);
        };
        const props = {
          className: 'field-input',
          'aria-labelledby': labelledBy,
          autoFocus: true,
          maxLength,
          defaultValue: value ?? '',
          onKeyDown: (event: KeyboardEvent<HTMLInputElement | HTMLTextAreaElement>) => {
            if (event.nativeEvent.isComposing) return;
            if (event.key === 'Escape') {
              event.stopPropagation();
              restore();
            }
            const isSent = rows === undefined || event.ctrlKey || event.metaKey;
            if (event.key === 'Enter' && isSent) finish(event.currentTarget.value);
          },
          onBlur: ({ currentTarget }: FocusEvent<HTMLInputElement | HTMLTextAreaElement>) =>
            finish(currentTarget.value),
        };
        if (rows === undefined) return <input {...props} type={type} />;
        return <textarea {...props} rows={rows} onFocus={goToEnd} />;
      }}
    />
  );
}

/** Browsers put the cursor of a textarea before its text. */
function goToEnd({ currentTarget: field }: FocusEvent<HTMLTextAreaElement>): void {
  field.setSelectionRange(field.value.length, field.value.length);
}
