import { Link, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import './tabs.css';

type LinkTab = {
  to: string;
  label: string;
  count?: string | undefined;
  /** For tabs of one page: `{ tab: 'tasks' }`. Without it the address alone decides. */
  search?: Record<string, string | undefined>;
};

/** Tabs that are addresses: links, so that they can be opened in a new tab, gone back to, and sent. */
export function LinkTabs({ label, tabs }: { label: string; tabs: readonly LinkTab[] }) {
  const nav = useRef<HTMLElement>(null);
  const href = useLocation({ select: (location) => location.href });
  const shown = useRef<string>(undefined);
  // On a phone the current tab may be beyond the edge, or be pushed there when the counts come.
  const shape = `${href} ${tabs.map(({ count }) => count !== undefined).join(' ')}`;
  useEffect(() => {
    if (shown.current === shape) return;
    shown.current = shape;
    nav.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  });
  return (
    <nav ref={nav} className="tabs" aria-label={label}>
      {tabs.map(({ to, label, count, search }) => (
        <Link
          key={`${to} ${search?.['tab'] ?? ''}`}
          to={to}
          search={search as never}
          className="tab"
          replace={search !== undefined}
          activeOptions={{ exact: true, includeSearch: search !== undefined }}
        >
          {label}
          {count !== undefined && <span className="tab-count">{count}</span>}
        </Link>
      ))}
    </nav>
  );
}
