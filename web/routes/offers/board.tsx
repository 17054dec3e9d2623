import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Tab, TabList, TabPanel, Tabs } from 'react-aria-components';
import { useFilters } from '../../client/filters.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { useMedia } from '../../components/media.ts';
import { useMoveKeys } from '../../components/use-move-keys.ts';
import { useCommands } from '../../frame/commands.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { boardQuery, FEW, MANY, STATUSES, sumsQuery, type Card, type OfferStatus } from './board-data.ts';
import { Column, LoadingColumn } from './column.tsx';
import { focusCard } from './focus-card.ts';
import { useMove } from './use-move.ts';
import { offerWords } from './words.ts';
import './board.css';

/** Offers by status; on a phone one status at a time. */
export function Board({ user, add }: { user: string | undefined; add: React.ReactNode }) {
  const words = useWords(offerWords);
  /** The owner whose further cards are shown; '' stands for all owners. */
  const [more, setMore] = useState<string>();
  const limit = more === (user ?? '') ? MANY : FEW;
  const board = useQuery({
    ...boardQuery(user, limit),
    // While more of it is read, the board stays.
    ...(limit === FEW ? {} : { placeholderData: keepPreviousData }),
  });
  const sums = useQuery(sumsQuery(user)).data?.data.data.by_status;
  const { move, notes } = useMove();
  const isPhone = useMedia('phone');
  useMoveKeys(words.board, moveInColumn);
  useCommands([
    { id: 'board m', label: words.moveOne, group: words.board, keys: 'm', isHidden: true, run: openCardMenu },
  ]);
  if (board.error && !board.data)
    return (
      <ErrorState
        error={board.error}
        // If "Show more" failed, the first cards are still cached.
        onRetry={() => (limit === MANY ? setMore(undefined) : void board.refetch())}
      />
    );
  const sumsOf = (status: OfferStatus) => sums?.find((one) => one.status === status);
  const layout = { user, isPhone, sums };
  const columns = board.data?.data.data;
  const isEmpty = columns?.every(({ cards }) => cards.length === 0);
  // The board shown before, of another owner, may be empty while this one is not.
  if (!columns || (isEmpty && board.isPlaceholderData)) {
    return (
      <Layout {...layout}>
        {(status) => <LoadingColumn status={status} sums={sumsOf(status)} user={user} />}
      </Layout>
    );
  }
  // For one owner, empty columns are shown, too: they lead to what was closed earlier.
  if (!user && isEmpty) {
    return (
      <Empty
        action={
          <>
            {add}
            <LinkButton to="/offers" search={{ tab: 'list' }}>
              {words.seeAllInList}
            </LinkButton>
          </>
        }
      >
        {words.emptyBoard}
      </Empty>
    );
  }
  const isReadingMore = limit === MANY && board.isPlaceholderData;

  const onMove = (card: Card, status: OfferStatus) => {
    focusCard(card.id);
    void move(card, status);
  };
  const find = (id: string) => columns.flatMap(({ cards }) => cards).find((card) => card.id === id);
  const column = (status: OfferStatus) => (
    <Column
      column={columns.find((one) => one.status === status)!}
      sums={sumsOf(status)}
      user={user}
      notes={notes}
      canDrag={!isPhone}
      onMove={onMove}
      onDrop={(id) => {
        const card = find(id);
        if (card) onMove(card, status);
      }}
      onMore={limit < MANY || isReadingMore ? () => setMore(user ?? '') : undefined}
      isReadingMore={isReadingMore}
    />
  );
  return <Layout {...layout}>{column}</Layout>;
}

type ColumnSums = { status: OfferStatus; count: number }[] | undefined;

/** Columns beside each other; on a phone one of them. */
function Layout({
  user,
  isPhone,
  sums,
  children,
}: {
  user: string | undefined;
  isPhone: boolean;
  sums: ColumnSums;
  children: (status: OfferStatus) => React.ReactNode;
}) {
  if (isPhone) return <PhoneBoard sums={sums}>{children}</PhoneBoard>;
  return (
    <div key={user} className="board">
      {STATUSES.map((status) => (
        <div key={status} className="board-track">
          {children(status)}
        </div>
      ))}
    </div>
  );
}

/** Moves the focus to the next or previous card of its column; from elsewhere, to the first card of the board. */
function moveInColumn(by: 1 | -1): void {
  const column = document.activeElement?.closest('.column');
  const cards = [...(column ?? document).querySelectorAll<HTMLElement>('.column-cards [role=row]')];
  const current = column ? cards.findIndex((card) => card.contains(document.activeElement)) : -1;
  const next = current === -1 ? 0 : Math.min(cards.length - 1, Math.max(0, current + by));
  cards[next]?.focus();
}

function openCardMenu(): void {
  const card = document.activeElement?.closest('.column-cards [role=row]');
  card?.querySelector<HTMLElement>('.offer-card-menu')?.click();
}

function PhoneBoard({
  sums,
  children,
}: {
  sums: ColumnSums;
  children: (status: OfferStatus) => React.ReactNode;
}) {
  const words = useWords(offerWords);
  const { offerStatus } = useWords(shared);
  const format = useFormat();
  const { values, set } = useFilters<'column'>();
  const chosen = STATUSES.find((status) => status === values.column) ?? 'new';
  return (
    <Tabs
      className="board-tabs"
      selectedKey={chosen}
      onSelectionChange={(key) => set({ column: String(key) })}
    >
      <TabList className="tabs" aria-label={words.board}>
        {STATUSES.map((status) => {
          const count = sums?.find((one) => one.status === status)?.count;
          return (
            <Tab key={status} id={status} className="tab board-tab">
              {offerStatus[status]}
              {count !== undefined && <span className="tab-count">{format.number(count)}</span>}
            </Tab>
          );
        })}
      </TabList>
      <TabPanel id={chosen} className="board-panel">
        {children(chosen)}
      </TabPanel>
    </Tabs>
  );
}
