import { useEffectEvent, useId, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { Explained } from '../../client/problem.ts';
import { EditInPlace, type Editing } from '../../components/edit-in-place.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useLanguage } from '../../words/language.ts';
import { faults } from '../../words/problems.ts';
import { readWhole } from '../../words/whole-number.ts';
import '../../components/field.css';

type Props = { value: number; unit: string; most: number };

/** A whole number edited in place: Enter or leaving the field saves, Escape restores. */
export function EditNumber({
  label,
  shown,
  onBegin,
  onSave,
  isDisabled = false,
  ...props
}: Props & {
  label: string;
  shown: string;
  onBegin: () => void;
  onSave: (value: number) => Promise<unknown>;
  isDisabled?: boolean;
}) {
  const said = useWords(faults);
  return (
    <EditInPlace<number>
      label={label}
      shown={<span className="offer-number">{shown}</span>}
      isDisabled={isDisabled}
      onBegin={onBegin}
      onSave={async (value) => {
        if (!(value <= props.most)) throw new Explained(said.number);
        await onSave(value);
      }}
      edit={(editing) => <Editor {...props} {...editing} />}
    />
  );
}

/** Stays mounted from the beginning of an edit to its end, also through a save that fails. */
function Editor({ value, unit, most, save, restore, finisher, labelledBy }: Props & Editing<number>) {
  const said = useWords(faults);
  const format = useFormat();
  const { language } = useLanguage();
  const fault = useId();
  const [hasFault, setHasFault] = useState(false);
  const [text, setText] = useState(() => format.number(value));
  /** The value at the beginning, until the first save: leaving it as it was does not overwrite changes by others. */
  const began = useRef<number | undefined>(value);
  const finish = (ending: 'by-key' | 'by-leaving', isGone = false) => {
    const next = text.trim() === '' ? value : readWhole(text, language);
    if (next === value || next === began.current) {
      if (!isGone) restore();
    } else if (next <= most || isGone) {
      began.current = undefined;
      save(next, ending);
    } else setHasFault(true);
  };
  useImperativeHandle(finisher, () => () => finish('by-key'));
  const leave = useEffectEvent(() => finish('by-leaving', true));
  // The field may be removed with what is around it, which fires no blur event.
  useLayoutEffect(() => () => leave(), []);
  return (
    <div className="field">
      <div className="field-group field-number" data-invalid={hasFault || undefined}>
        <input
          aria-labelledby={labelledBy}
          aria-describedby={hasFault ? fault : undefined}
          aria-invalid={hasFault || undefined}
          value={text}
          inputMode="numeric"
          autoComplete="off"
          autoFocus
          onFocus={({ currentTarget }) => currentTarget.select()}
          onChange={({ target }) => {
            setText(target.value);
            setHasFault(false);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') finish('by-key');
            if (event.key !== 'Escape') return;
            event.stopPropagation();
            restore();
          }}
          onBlur={() => finish('by-leaving')}
        />
        <span className="muted">{unit}</span>
      </div>
      {hasFault && (
        <span id={fault} className="field-error" role="alert">
          {said.number}
        </span>
      )}
    </div>
  );
}
