import { useEffect, useRef, type ReactNode, type RefObject } from 'react';
import {
  Button,
  Header,
  Menu as AriaMenu,
  MenuItem as AriaMenuItem,
  type MenuItemProps,
  MenuSection as AriaMenuSection,
  MenuTrigger,
  Popover,
} from 'react-aria-components';
import { focusIfLost } from './focus-back.ts';
import { Icon, type IconName } from './icon.tsx';
import './button.css';
import './menu.css';

/** A button that opens a menu. It shows `trigger`, which holds words, or else three dots, named by `label`. */
export function Menu({
  label,
  trigger,
  className = '',
  size,
  defaultOpen = false,
  children,
}: ({ trigger: ReactNode; label?: never } | { trigger?: never; label: string }) & {
  className?: string;
  size?: 'small';
  defaultOpen?: boolean;
  children: ReactNode;
}) {
  const button = useRef<HTMLButtonElement>(null);
  return (
    <MenuTrigger defaultOpen={defaultOpen}>
      {trigger ? (
        <Button ref={button} className={`button ${className}`} data-kind="quiet" data-size={size}>
          {trigger}
        </Button>
      ) : (
        <Button
          ref={button}
          className={`button ${className}`}
          data-kind="quiet"
          data-square
          aria-label={label ?? ''}
        >
          <Icon name="more" />
        </Button>
      )}
      <Popover className="popover" offset={4}>
        {defaultOpen && <FocusBack to={button} />}
        <AriaMenu className="menu">{children}</AriaMenu>
      </Popover>
    </MenuTrigger>
  );
}

/** React Aria gives the focus back to what opened the menu, which may be gone. */
function FocusBack({ to }: { to: RefObject<HTMLElement | null> }) {
  useEffect(() => () => focusIfLost(to.current), [to]);
  return null;
}

/** One thing to do; `danger` for what takes something away. */
export function MenuItem({
  icon,
  keys,
  kind,
  children,
  ...props
}: {
  icon?: IconName;
  /** The shortcut to show. */
  keys?: string;
  kind?: 'danger';
  children: string;
} & Omit<MenuItemProps, 'children' | 'className' | 'style'>) {
  return (
    <AriaMenuItem {...props} className="menu-item" data-kind={kind} textValue={children}>
      {icon ? <Icon name={icon} /> : <span className="menu-space" />}
      <span className="menu-text">{children}</span>
      {keys && <kbd>{keys}</kbd>}
    </AriaMenuItem>
  );
}

export function MenuSection({
  title,
  label,
  children,
}: ({ title: string; label?: never } | { title?: never; label: string }) & { children: ReactNode }) {
  return (
    <AriaMenuSection className="menu-section" aria-label={label}>
      {title && <Header className="menu-title">{title}</Header>}
      {children}
    </AriaMenuSection>
  );
}

/** A section of options, of which one is chosen. */
export function MenuChoice<Id extends string>({
  title,
  options,
  chosen,
  onChoose,
}: {
  title: string;
  options: readonly { id: Id; label: string }[];
  chosen: Id;
  onChoose: (id: Id) => void;
}) {
  return (
    <AriaMenuSection
      className="menu-section"
      selectionMode="single"
      disallowEmptySelection
      selectedKeys={[chosen]}
      onSelectionChange={(keys) => {
        const next = options.find(({ id }) => keys !== 'all' && keys.has(id));
        if (next) onChoose(next.id);
      }}
    >
      <Header className="menu-title">{title}</Header>
      {options.map(({ id, label }) => (
        <MenuOption key={id} id={id} label={label} />
      ))}
    </AriaMenuSection>
  );
}

/** A choice, with a tick when it is selected. */
export function MenuOption({ id, label }: { id: string; label: string }) {
  return (
    <AriaMenuItem id={id} className="menu-item" textValue={label}>
      {({ isSelected }) => (
        <>
          {isSelected ? <Icon name="check" /> : <span className="menu-space" />}
          <span className="menu-text">{label}</span>
        </>
      )}
    </AriaMenuItem>
  );
}
