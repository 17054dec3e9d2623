import { useRef } from 'react';
import { EditInPlace } from '../../components/edit-in-place.tsx';
import { NumberField } from '../../components/number-field.tsx';

/** A whole number edited in place: Enter or leaving saves, Escape restores. */
export function EditNumber({
  label,
  value,
  shown,
  unit,
  most,
  onSave,
  isDisabled = false,
}: {
  label: string;
  value: number;
  shown: string;
  unit: string;
  most: number;
  onSave: (value: number) => Promise<unknown>;
  isDisabled?: boolean;
}) {
  const typed = useRef(value);
  return (
    <EditInPlace<number>
      label={label}
      shown={<span className="offer-number">{shown}</span>}
      isDisabled={isDisabled}
      onSave={onSave}
      edit={({ save, restore }) => (
        <div
          role="presentation"
          onFocus={({ target }) => {
            if (target instanceof HTMLInputElement) target.select();
          }}
          onKeyDown={({ key, target }) => {
            if (key === 'Escape') restore();
            // The field takes over what was typed when it loses the focus.
            if (key === 'Enter' && target instanceof HTMLElement) target.blur();
          }}
          onBlur={() => queueMicrotask(() => (typed.current === value ? restore() : save(typed.current)))}
        >
          <NumberField
            label={label}
            hideLabel
            unit={unit}
            defaultValue={value}
            minValue={0}
            maxValue={most}
            onChange={(next) => {
              typed.current = Number.isNaN(next) ? value : next;
            }}
            autoFocus
          />
        </div>
      )}
    />
  );
}
