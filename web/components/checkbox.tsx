import { Checkbox as AriaCheckbox, type CheckboxProps } from 'react-aria-components';
import { Icon } from './icon.tsx';
import { useIsLocked } from './submission.ts';
import './field.css';

export function Checkbox({
  label,
  hideLabel = false,
  ...props
}: { label: string; hideLabel?: boolean } & Omit<
  CheckboxProps,
  'children' | 'className' | 'style' | 'isReadOnly'
>) {
  const isLocked = useIsLocked();
  return (
    <AriaCheckbox {...props} isReadOnly={isLocked} className="check">
      <span className="check-box">
        <Icon name="check" />
      </span>
      <span className={hideLabel ? 'visually-hidden' : ''}>{label}</span>
    </AriaCheckbox>
  );
}
