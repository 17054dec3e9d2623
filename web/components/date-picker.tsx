import { Suspense } from 'react';
import { Label } from 'react-aria-components';
import { lazyPart } from '../frame/lazy-part.tsx';
import type { FieldText } from './text-field.tsx';
import './field.css';

const Calendar = lazyPart(async () => (await import('./date-picker-field.tsx')).DatePickerField);

export type DatePickerProps = FieldText & {
  /** 2026-11-21 */
  value: string | null;
  onChange: (day: string | null) => void;
  error?: string | undefined;
  autoFocus?: boolean;
};

/** A day, typed or chosen from a calendar; its script is loaded where it is used. */
export function DatePicker(props: DatePickerProps) {
  const { label, hideLabel = false } = props;
  return (
    <Suspense
      fallback={
        <div className="field">
          <Label className={hideLabel ? 'visually-hidden' : 'field-label'}>{label}</Label>
          <div className="field-group" />
        </div>
      }
    >
      <Calendar {...props} />
    </Suspense>
  );
}
