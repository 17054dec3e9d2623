import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Status, TONES } from '../../components/status.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { isOverdue, sayDue } from '../tasks/due.ts';
import { relatedQuery, type Link as CompanyLink } from './queries.ts';
import { contactWords } from './words.ts';

/** What is going on with the companies of a person; nothing where nothing is. */
export function Related({ links }: { links: readonly CompanyLink[] }) {
  const words = useWords(contactWords);
  const names = useWords(shared);
  const format = useFormat();
  const { data } = useQuery(relatedQuery(links));
  if (!data || data.offers.length + data.tasks.length === 0) return null;
  return (
    <aside className="contact-aside" aria-label={words.related}>
      {data.tasks.length > 0 && (
        <Part title={words.openTasks}>
          {data.tasks.map((task) => (
            <Item key={task.id} to={`/companies/${task.orgnr}`} search={{ tab: 'tasks' }} title={task.title}>
              {isOverdue(task, format) && <span className="contact-overdue">{words.overdue}</span>}
              <span>{`${sayDue(task, format)} · ${task.company}`}</span>
            </Item>
          ))}
        </Part>
      )}
      {data.offers.length > 0 && (
        <Part title={words.openOffers}>
          {data.offers.map(({ id, title, company, status }) => (
            <Item key={id} to={`/offers/${id}`} title={title}>
              <Status tone={TONES[status] ?? 'neutral'}>{names.offerStatus[status]}</Status>
              <span>{company}</span>
            </Item>
          ))}
        </Part>
      )}
    </aside>
  );
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <section className="contact-section">
      <h2>{title}</h2>
      <ul>{children}</ul>
    </section>
  );
}

const NO_SEARCH: Record<string, string> = {};

function Item({
  to,
  search,
  title,
  children,
}: {
  to: string;
  search?: Record<string, string>;
  title: string;
  children: ReactNode;
}) {
  return (
    <li>
      <Link to={to} search={search ?? NO_SEARCH} className="contact-item">
        <span>{title}</span>
        <span className="contact-item-more muted">{children}</span>
      </Link>
    </li>
  );
}
