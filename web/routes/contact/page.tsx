import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import type { Prefetch } from '../../client/prefetch.ts';
import { useRole } from '../../client/session.ts';
import type { CallProblem } from '../../client/problem.ts';
import { useMissing } from '../../client/use-missing.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { Companies } from './companies.tsx';
import { Details } from './details.tsx';
import { Duplicates } from './duplicates.tsx';
import { EraseDialog } from './erase.tsx';
import { MergeDialog } from './merge.tsx';
import { Points } from './points.tsx';
import { contactQuery, type Whole } from './queries.ts';
import { Related } from './related.tsx';
import { contactWords } from './words.ts';
import './contact.css';

export const prefetch: Prefetch = ({ client, params: { id = '' } }) => {
  void client.prefetchQuery(contactQuery(id));
};

export function ContactPage() {
  const { id } = useParams({ strict: false }) as { id: string };
  // The key gives each contact a state of its own.
  return <ContactById key={id} id={id} />;
}

function ContactById({ id }: { id: string }) {
  const names = useWords(shared);
  const [isErased, setIsErased] = useState(false);
  const { data, error, refetch } = useQuery({ ...contactQuery(id), enabled: !isErased });
  const missing = useMissing({ data, error });
  if (isErased) return <Erased />;
  if (missing) return <Gone problem={missing} />;
  if (data) return <Shown whole={data} onErased={() => setIsErased(true)} />;
  return (
    <Page title={names.contact} width="text">
      {error ? (
        <ErrorState error={error} onRetry={() => void refetch()} />
      ) : (
        <Skeleton kind="text" rows={8} />
      )}
    </Page>
  );
}

type Open = 'erase' | { merge: string | undefined };

function Shown({ whole, onErased }: { whole: Whole; onErased: () => void }) {
  const words = useWords(contactWords);
  const names = useWords(shared);
  const isAdmin = useRole('admin');
  const [open, setOpen] = useState<Open>();
  const { contact, points, links } = whole;
  const close = () => setOpen(undefined);
  return (
    <Page
      title={contact.name}
      width="text"
      actions={
        isAdmin && (
          <Menu label={names.more}>
            <MenuItem icon="people" onAction={() => setOpen({ merge: undefined })}>
              {words.merge}
            </MenuItem>
            <MenuItem icon="trash" kind="danger" onAction={() => setOpen('erase')}>
              {words.erase}
            </MenuItem>
          </Menu>
        )
      }
    >
      <div className="contact">
        <div className="contact-main">
          <Duplicates whole={whole} onCompare={isAdmin ? (other) => setOpen({ merge: other }) : undefined} />
          <Details whole={whole} />
          <Points contact={contact.id} points={points} />
          <Companies contact={contact.id} links={links} />
        </div>
        <Related links={links} />
      </div>
      {open === 'erase' && <EraseDialog whole={whole} onErased={onErased} onClose={close} />}
      {typeof open === 'object' && <MergeDialog contact={contact} first={open.merge} onClose={close} />}
    </Page>
  );
}

function Erased() {
  const words = useWords(contactWords);
  return (
    <Page key="erased" title={words.erasedTitle} width="text">
      <div className="stack">
        <p role="status">{words.erased}</p>
        <div>
          <LinkButton to="/contacts">{words.toContacts}</LinkButton>
        </div>
      </div>
    </Page>
  );
}

/** Erased, merged into another, or never there: an address that was cut is refused. */
function Gone({ problem }: { problem: CallProblem }) {
  const words = useWords(contactWords);
  const into = problem.details.find(({ field }) => field === 'merged_into')?.message;
  return (
    <Page title={words.goneTitle} width="text">
      <div className="stack">
        <p>{into ? words.mergedAway : words.gone}</p>
        <div>
          {into ? (
            <LinkButton kind="primary" to="/contacts/$id" params={{ id: into }}>
              {words.openMerged}
            </LinkButton>
          ) : (
            <LinkButton to="/contacts">{words.toContacts}</LinkButton>
          )}
        </div>
      </div>
    </Page>
  );
}
