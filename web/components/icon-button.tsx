import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Icon, type IconName } from './icon.tsx';
import { Tip } from './tip.tsx';
import './button.css';

/** A button of one icon; its name shows on hover and focus. */
export function IconButton({
  icon,
  label,
  ...props
}: { icon: IconName; label: string } & Omit<
  AriaButtonProps,
  'children' | 'className' | 'style' | 'aria-label'
>) {
  return (
    <Tip text={label}>
      <AriaButton {...props} aria-label={label} className="button" data-kind="quiet" data-square>
        <Icon name={icon} />
      </AriaButton>
    </Tip>
  );
}
