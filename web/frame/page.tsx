import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useId, useRef, type ReactNode } from 'react';
import { Icon } from '../components/icon.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import '../components/button.css';
import './page.css';

/** The address that the browser loaded: there, focus stays where the browser puts it. */
const loaded: { key: string | undefined } = { key: window.location.pathname };

/**
 * A page: its title in the tab and as its heading, which takes the focus after navigation, the actions beside it,
 * and a body that scrolls. `width` is "text" where there is one narrow column, "full" for tables and boards.
 */
export function Page({
  title,
  shownTitle,
  actions,
  toolbar,
  width = 'full',
  focusesItself = false,
  children,
}: {
  title: string;
  /** What the heading shows where that is more than the title. */
  shownTitle?: ReactNode;
  actions?: ReactNode;
  /** A line below the heading that does not scroll. */
  toolbar?: ReactNode;
  width?: 'text' | 'full';
  /** Whether something in the page takes the focus after navigation, in place of the heading. */
  focusesItself?: boolean;
  children: ReactNode;
}) {
  const id = useId();
  const heading = useHeadingFocus(focusesItself);
  const { search } = useWords(shared);
  useTitle(title);
  return (
    <div className="page" data-width={width}>
      <header className="page-header">
        <h1 id={id} ref={heading} tabIndex={-1}>
          {shownTitle ?? title}
        </h1>
        <div className="page-actions">
          <Link to="/search" className="button page-search" data-kind="quiet" data-square aria-label={search}>
            <Icon name="search" />
          </Link>
          {actions}
        </div>
      </header>
      {toolbar}
      {width === 'text' ? (
        // Takes the focus so that the keyboard scrolls it; tables and boards have rows and cards for that.
        <div className="page-body" role="region" aria-labelledby={id} tabIndex={0}>
          {children}
        </div>
      ) : (
        <div className="page-body">{children}</div>
      )}
    </div>
  );
}

export function useTitle(title: string): void {
  const { app } = useWords(shared);
  useEffect(() => {
    document.title = `${title} · ${app}`;
  }, [title, app]);
}

/** For the heading of a page: focused when navigation has led to it, unless something in the page takes the focus. */
export function useHeadingFocus(isTaken = false) {
  const heading = useRef<HTMLHeadingElement>(null);
  const pathname = useLocation({ select: (location) => location.pathname });
  useEffect(() => {
    if (loaded.key === pathname) return;
    loaded.key = undefined;
    if (!isTaken) heading.current?.focus();
  }, [pathname, isTaken]);
  return heading;
}
