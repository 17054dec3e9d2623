import { useInfiniteQuery } from '@tanstack/react-query';
import { useFilters } from '../../client/filters.ts';
import { listOf, rowsOf } from '../../client/queries.ts';
import { sortIn, useSorting } from '../../client/sorting.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { useMedia } from '../../components/media.ts';
import { PersonInitials, PersonName } from '../../components/person-name.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Status, TONES } from '../../components/status.tsx';
import { Time } from '../../components/time.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import type { Card } from './board-data.ts';
import { OfferAmount, useAmounts } from './offer-amount.tsx';
import { offerWords } from './words.ts';

export const SORTS = ['-updated_at', 'updated_at', 'status_since', '-status_since'] as const;

type ListSearch = { status?: string; user_id?: string; company_id?: string; sort?: string };

export function cardsQuery(search: ListSearch) {
  const { filters, sort } = askedIn(search);
  return listOf('GET /offers/cards', { query: { ...filters, sort } });
}

function askedIn({ status, user_id, company_id, sort }: ListSearch) {
  return {
    filters: {
      ...(status ? { status: status as Card['status'] } : {}),
      ...(user_id ? { user_id } : {}),
      ...(company_id ? { company_id } : {}),
    },
    sort: sortIn(SORTS, sort),
  };
}

/** Every offer, filtered and sorted as the address says. */
export function List({ add }: { add: React.ReactNode }) {
  const words = useWords(offerWords);
  const names = useWords(shared);
  const { values } = useFilters<keyof ListSearch>();
  const { filters } = askedIn(values);
  const sorting = useSorting(SORTS);
  const list = useInfiniteQuery(cardsQuery(values));
  const rows = rowsOf<Card>(list.data);
  const columns = useColumns();
  if (list.error && !rows) return <ErrorState error={list.error} onRetry={() => void list.refetch()} />;
  // An empty result of the earlier filters says nothing about the current ones.
  if (!rows || (rows.length === 0 && list.isPlaceholderData)) return <Skeleton rows={12} />;
  if (rows.length === 0) {
    const isFiltered = Object.keys(filters).length > 0;
    return (
      <Empty action={isFiltered ? undefined : add}>{isFiltered ? words.emptyFiltered : words.empty}</Empty>
    );
  }
  return (
    <DataTable<Card>
      label={names.offers}
      rows={rows}
      idOf={({ id }) => id}
      addressOf={({ id }) => `/offers/${id}`}
      columns={columns}
      phone={(card) => <PhoneRow card={card} />}
      sorting={sorting}
      of={JSON.stringify(filters)}
      pages={list}
    />
  );
}

function PhoneRow({ card }: { card: Card }) {
  const { offerStatus } = useWords(shared);
  const amounts = useAmounts();
  const { title, company, status } = card;
  return (
    <>
      <span>{title}</span>
      <span className="muted">
        {[offerStatus[status], ...amounts(card).map(({ short }) => short), company.name].join(' · ')}
      </span>
    </>
  );
}

function useColumns(): Column<Card>[] {
  const words = useWords(offerWords);
  const names = useWords(shared);
  const format = useFormat();
  const isRoomy = useMedia('roomy');
  const isBroad = useMedia('broad');
  const weight: Column<Card> = {
    id: 'weight',
    label: words.weight,
    width: 'calc(var(--unit) * 11.5)',
    align: 'end',
    cell: ({ weight }) => format.percent(weight),
  };
  const since: Column<Card> = {
    id: 'since',
    label: words.since,
    width: 'calc(var(--unit) * 27)',
    sort: 'status_since',
    cell: ({ status_since }) => <Time at={status_since} kind="date" inRow />,
  };
  const changed: Column<Card> = {
    id: 'changed',
    label: names.changed,
    width: 'calc(var(--unit) * 26)',
    sort: 'updated_at',
    cell: ({ updated_at }) => <Time at={updated_at} kind="date" inRow />,
  };
  return [
    {
      id: 'title',
      label: words.title,
      width: 'minmax(0, 1fr)',
      cell: ({ title }) => <span title={title}>{title}</span>,
    },
    {
      id: 'company',
      label: names.company,
      width: 'minmax(0, 1fr)',
      cell: ({ company }) => (
        <span className="truncate" title={company.name}>
          {company.name}
        </span>
      ),
    },
    {
      id: 'status',
      label: names.status,
      width: 'calc(var(--unit) * 24)',
      cell: ({ status }) => <Status tone={TONES[status] ?? 'neutral'}>{names.offerStatus[status]}</Status>,
    },
    {
      id: 'oneTime',
      label: names.oneTime,
      width: isRoomy ? 'calc(var(--unit) * 28)' : 'calc(var(--unit) * 22)',
      align: 'end',
      cell: (card) =>
        // As on its card: an offer with recurring revenue alone shows no one-time amount.
        card.one_time_revenue === 0 && card.recurring_revenue > 0 ? (
          <span className="muted">{names.empty}</span>
        ) : (
          <span className="truncate">
            <OfferAmount offer={{ ...card, recurring_revenue: 0 }} />
          </span>
        ),
    },
    {
      id: 'recurring',
      label: words.recurring,
      width: isRoomy ? 'calc(var(--unit) * 32)' : 'calc(var(--unit) * 27)',
      align: 'end',
      cell: (card) =>
        card.recurring_revenue === 0 ? (
          <span className="muted">{names.empty}</span>
        ) : (
          <span className="truncate">
            <OfferAmount offer={{ ...card, one_time_revenue: 0 }} />
          </span>
        ),
    },
    ...(isRoomy ? [weight] : []),
    {
      id: 'owner',
      label: names.owner,
      // On narrower screens, the titles and companies need the room.
      width: isBroad ? 'minmax(0, 0.7fr)' : 'calc(var(--unit) * 11)',
      cell: ({ owner }) => {
        const name = `${owner.first_name} ${owner.last_name}`.trim();
        return isBroad ? <PersonName name={name} /> : <PersonInitials name={name} />;
      },
    },
    ...(isRoomy ? [since] : []),
    // Without room for the column, the list can still be sorted by it.
    ...(isBroad ? [changed] : []),
  ];
}
