import { useId } from 'react';
import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components';
import { Icon } from './icon.tsx';
import { useIsLocked } from './submission.ts';
import './field.css';

export function Checkbox({
  label,
  hideLabel = false,
  hint,
  ...props
}: {
  label: string;
  hideLabel?: boolean;
  /** Text below the box: when to tick it. */
  hint?: string;
} & Omit<CheckboxProps, 'children' | 'className' | 'style' | 'isReadOnly'>) {
  const isLocked = useIsLocked();
  const hintId = useId();
  const described = hint ? { 'aria-describedby': hintId } : {};
  return (
    <>
      <AriaCheckbox {...props} {...described} isReadOnly={isLocked} className="check">
        <span className="check-box">
          <Icon name="check" />
        </span>
        <span className={hideLabel ? 'visually-hidden' : ''}>{label}</span>
      </AriaCheckbox>
      {hint && (
        <p id={hintId} className="field-hint">
          {hint}
        </p>
      )}
    </>
  );
}
