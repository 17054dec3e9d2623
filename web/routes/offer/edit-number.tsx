import { useEffectEvent, useImperativeHandle, useLayoutEffect, useRef } from 'react';
import { EditInPlace, type Editing } from '../../components/edit-in-place.tsx';
import { NumberField } from '../../components/number-field.tsx';

type Props = { label: string; value: number; unit: string; most: number };

/** A whole number edited in place: Enter or leaving saves, Escape restores. */
export function EditNumber({
  shown,
  onSave,
  isDisabled = false,
  ...props
}: Props & {
  shown: string;
  onSave: (value: number) => Promise<unknown>;
  isDisabled?: boolean;
}) {
  return (
    <EditInPlace<number>
      label={props.label}
      shown={<span className="offer-number">{shown}</span>}
      isDisabled={isDisabled}
      onSave={onSave}
      edit={(editing) => <Editor {...props} {...editing} />}
    />
  );
}

/** There from the beginning of an edit to its end, also over a save that fails. */
function Editor({ label, value, unit, most, save, restore, finisher }: Props & Editing<number>) {
  const field = useRef<HTMLDivElement>(null);
  const typed = useRef(value);
  const isEntered = useRef(false);
  /** What others have changed since is not set back by a field that was only looked at. */
  const began = useRef<number | undefined>(value);
  const finish = (ending: 'by-key' | 'by-leaving') => {
    const next = typed.current;
    if (next === value || next === began.current) return restore();
    began.current = undefined;
    return save(next, ending);
  };
  useImperativeHandle(finisher, () => () => finish('by-key'));
  const leave = useEffectEvent(() => {
    const isChanged = typed.current !== value && typed.current !== began.current;
    // With the focus in it, it is blurred next.
    if (isChanged && !field.current?.contains(document.activeElement)) save(typed.current, 'by-leaving');
  });
  // What could not be saved goes away with what is around the field.
  useLayoutEffect(() => () => leave(), []);
  return (
    <div
      ref={field}
      role="presentation"
      onFocus={({ target }) => {
        if (target instanceof HTMLInputElement) target.select();
      }}
      onKeyDownCapture={({ key, target }) => {
        if (key === 'Escape') restore();
        // The field takes over what was typed when it loses the focus.
        if (key !== 'Enter' || !(target instanceof HTMLElement)) return;
        isEntered.current = true;
        target.blur();
        isEntered.current = false;
      }}
      onBlur={() => {
        const ending = isEntered.current ? 'by-key' : 'by-leaving';
        queueMicrotask(() => finish(ending));
      }}
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
  );
}
