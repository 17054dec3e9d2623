import { Link } from '@tanstack/react-router';
import type { KeyboardEvent } from 'react';
import { Icon, type IconName } from '../../components/icon.tsx';
import { useWords } from '../../words/dictionary.ts';
import type { FoundGroup, FoundItem } from './found.ts';
import { searchWords } from './words.ts';

/** The lists that have a search of their own. */
const LISTS = { companies: '/companies', contacts: '/contacts' } as const;

/** What was found, a section for each kind. Arrow keys move between links, also from one section to the next. */
export function Results({
  q,
  groups,
  pages,
  limit,
}: {
  q: string;
  groups: readonly FoundGroup[];
  pages: readonly FoundItem[];
  limit: number;
}) {
  const words = useWords(searchWords);
  return (
    <div role="presentation" className="results" onKeyDown={moveBetweenLinks}>
      {groups.map(({ id, title, icon, items }) => (
        <Section key={id} title={title} icon={icon} items={items.slice(0, limit)}>
          {items.length > limit &&
            (id in LISTS ? (
              <Link to={LISTS[id as keyof typeof LISTS]} search={{ q }} className="results-all">
                {words.all(title.toLowerCase())}
              </Link>
            ) : (
              <p className="results-all muted">{words.latest(String(limit))}</p>
            ))}
        </Section>
      ))}
      {pages.length > 0 && <Section title={words.pages} icon="right" items={pages} />}
    </div>
  );
}

function Section({
  title,
  icon,
  items,
  children,
}: {
  title: string;
  icon: IconName;
  items: readonly FoundItem[];
  children?: React.ReactNode;
}) {
  return (
    <section className="results-group" aria-label={title}>
      <h2>{title}</h2>
      <ul>
        {items.map(({ id, label, detail, to, search = {} }) => (
          <li key={id}>
            <Link to={to} search={search} className="result">
              <Icon name={icon} />
              <span className="truncate">{label}</span>
              {detail && <span className="result-detail truncate muted">{detail}</span>}
            </Link>
          </li>
        ))}
      </ul>
      {children}
    </section>
  );
}

function moveBetweenLinks(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (step === undefined) return;
  const links = [...event.currentTarget.querySelectorAll('a')];
  const next = links.indexOf(document.activeElement as HTMLAnchorElement) + step;
  event.preventDefault();
  if (next < 0) document.querySelector<HTMLInputElement>('.search input')?.focus();
  else links[next]?.focus();
}
