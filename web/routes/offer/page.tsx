import { Link, useParams } from '@tanstack/react-router';
import type { Prefetch } from '../../client/prefetch.ts';
import { useMissing } from '../../client/use-missing.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Menu, MenuItem } from '../../components/menu.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Badge } from '../../components/status.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import type { Card } from '../offers/board-data.ts';
import { isOverdue, sayDue } from '../tasks/due.ts';
import { Details } from './details.tsx';
import { History, historyQuery } from './history.tsx';
import { cardQuery, useDelete, useOffer } from './use-offer.ts';
import { words } from './words.ts';
import './offer.css';

export const prefetch: Prefetch = ({ client, params: { id = '' } }) => {
  void client.prefetchQuery(cardQuery(id));
  void client.prefetchQuery(historyQuery(id));
};

export function OfferPage() {
  const { id } = useParams({ from: '/inside/offers/$id' });
  // The key gives each offer a state of its own.
  return <OfferById key={id} id={id} />;
}

function OfferById({ id }: { id: string }) {
  const said = useWords(words);
  const names = useWords(shared);
  const offer = useOffer(id);
  const { card, query } = offer;
  const { remove } = useDelete(card);
  // Also when the offer was deleted while its page was open: the query still has its last state.
  const isGone = useMissing(query) !== undefined;
  if (isGone || !card) {
    return (
      <Page title={names.offer}>
        {isGone && (
          <Empty action={<LinkButton to="/offers">{said.toOffers}</LinkButton>}>{said.missing}</Empty>
        )}
        {query.error && !isGone && <ErrorState error={query.error} onRetry={() => void query.refetch()} />}
        {!query.error && !isGone && <Skeleton rows={8} />}
      </Page>
    );
  }
  return (
    <Page
      title={card.title}
      actions={
        <Menu label={names.more}>
          <MenuItem icon="trash" kind="danger" onAction={remove}>
            {names.delete}
          </MenuItem>
        </Menu>
      }
    >
      <div className="offer">
        <Summary card={card} />
        <div className="offer-columns">
          <Details card={card} offer={offer} />
          <History id={id} />
        </div>
      </div>
    </Page>
  );
}

function Summary({ card }: { card: Card }) {
  const said = useWords(words);
  const format = useFormat();
  const { company, next_task: task } = card;
  return (
    <div className="offer-summary">
      <Link to="/companies/$orgnr" params={{ orgnr: company.orgnr }} className="offer-company">
        {company.name}
      </Link>
      {company.is_deleted && <Badge tone="danger">{said.companyGone}</Badge>}
      <span className="offer-next">
        <span className="muted">{`${said.nextTask}: `}</span>
        {task ? (
          <>
            {isOverdue(task, format) && <Badge tone="danger">{said.overdue}</Badge>}
            <Link
              to="/companies/$orgnr"
              params={{ orgnr: company.orgnr }}
              search={{ tab: 'tasks' }}
              className="offer-task truncate"
              title={task.title}
            >
              {task.title}
            </Link>
            <span className="muted">{sayDue(task, format)}</span>
          </>
        ) : (
          <span>{said.noTask}</span>
        )}
      </span>
    </div>
  );
}
