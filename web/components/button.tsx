import type { ReactNode } from 'react';
import { Button as AriaButton, type ButtonProps as AriaButtonProps } from 'react-aria-components';
import { Icon, type IconName } from './icon.tsx';
import './button.css';

/** One primary button a page; danger only in a dialog that says what the action does. */
type ButtonKind = 'primary' | 'normal' | 'quiet' | 'danger';

export type ButtonLook = {
  kind?: ButtonKind;
  size?: 'normal' | 'small';
  icon?: IconName;
};

export type ButtonProps = ButtonLook &
  Omit<AriaButtonProps, 'children' | 'className' | 'style'> & {
    children: ReactNode;
    /** Whether a press leaves the focus in the field where it is, as that of a submit button does. */
    leavesFocus?: boolean;
  };

/**
 * While `isPending`, the button keeps its place and its focus and does nothing. React Aria's own `isPending` leaves
 * behind an image named by the button, nameless once the button is gone.
 */
export function Button({
  kind = 'normal',
  size = 'normal',
  icon,
  isPending = false,
  onPress,
  leavesFocus = false,
  children,
  ...props
}: ButtonProps) {
  return (
    <AriaButton
      {...props}
      {...(isPending ? { 'aria-disabled': true, type: 'button' } : onPress && { onPress })}
      className="button"
      data-kind={kind}
      data-size={size}
      // A field that loses the focus shows or hides its error, which moves the button away from under the pointer.
      preventFocusOnPress={leavesFocus || props.type === 'submit'}
    >
      {icon && <Icon name={icon} />}
      <span className="button-text">{children}</span>
    </AriaButton>
  );
}
