import { createLink } from '@tanstack/react-router';
import { Link as AriaLink, type LinkProps as AriaLinkProps } from 'react-aria-components';
import type { ReactNode, Ref } from 'react';
import { Icon } from './icon.tsx';
import type { ButtonLook } from './button.tsx';
import './button.css';

type Props = ButtonLook &
  Omit<AriaLinkProps, 'children' | 'className' | 'style'> & {
    children?: ReactNode;
    ref?: Ref<HTMLAnchorElement>;
  };

/** Looks like a button, leads somewhere. Takes the properties of the router's Link. */
export const LinkButton = createLink(function ButtonAnchor({
  kind = 'normal',
  size = 'normal',
  icon,
  children,
  ...props
}: Props) {
  return (
    <AriaLink {...props} className="button" data-kind={kind} data-size={size}>
      {icon && <Icon name={icon} />}
      <span className="button-text">{children}</span>
    </AriaLink>
  );
});
