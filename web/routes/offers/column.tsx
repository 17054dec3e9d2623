import { Link, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useRef } from 'react';
import { GridList, GridListItem, isTextDropItem, useDragAndDrop } from 'react-aria-components';
import type { Sums } from '../../../src/offers/card-schema.ts';
import { Button } from '../../components/button.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Status, TONES } from '../../components/status.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { isClosed, type BoardColumn, type Card, type OfferStatus } from './board-data.ts';
import { focusCard } from './focus-card.ts';
import { OfferCard } from './offer-card.tsx';
import { shortAmount, wholeSum } from './sum-text.ts';
import { offerWords } from './words.ts';

/** The data type of a dragged card: nothing else can be dropped on the board. */
const TYPE = 'application/x-kundebok-offer';

/** Cards that are rendered at first: more than a screen shows. */
const FIRST = 12;

/** The offers of one status: cards are dragged here, or moved by their menu. */
export function Column({
  column,
  sums,
  user,
  notes,
  canDrag,
  onMove,
  onDrop,
  onMore,
  isReadingMore,
}: {
  column: BoardColumn;
  sums: Sums | undefined;
  user: string | undefined;
  notes: Readonly<Record<string, string>>;
  canDrag: boolean;
  onMove: (card: Card, status: OfferStatus) => void;
  onDrop: (id: string) => void;
  /** Absent when the rest is found in the list alone. */
  onMore: (() => void) | undefined;
  isReadingMore: boolean;
}) {
  const words = useWords(offerWords);
  const { offerStatus } = useWords(shared);
  const format = useFormat();
  const navigate = useNavigate();
  const { status, cards, next_cursor } = column;
  const hasAll = useDeferredValue(true, false);
  const hasMore = onMore !== undefined;
  /** The index of the first card that "Show more" asked for. */
  const asked = useRef<number>(undefined);
  // The button that was pressed is removed once the further cards are there: the first of these takes the focus.
  useEffect(() => {
    if (hasMore || asked.current === undefined) return;
    const first = cards[asked.current];
    asked.current = undefined;
    if (first && document.activeElement === document.body) focusCard(first.id);
  }, [hasMore, cards]);
  const { dragAndDropHooks } = useDragAndDrop<Card>({
    getItems: (_keys, items) => items.map(({ id, title }) => ({ [TYPE]: id, 'text/plain': title })),
    acceptedDragTypes: [TYPE],
    getDropOperation: () => 'move',
    onRootDrop({ items }) {
      const item = items.find((one) => isTextDropItem(one));
      if (item) void item.getText(TYPE).then(onDrop);
    },
  });
  const rest = restOf(status, user);
  return (
    <section className="column" data-status={status}>
      <ColumnHead status={status} sums={sums} rest={rest} />
      <GridList
        className="column-cards"
        aria-label={words.columnLabel(offerStatus[status], format.number(sums?.count ?? cards.length))}
        items={hasAll ? cards : cards.slice(0, FIRST)}
        dependencies={[notes, canDrag, format.today()]}
        selectionMode="none"
        disallowTypeAhead
        keyboardNavigationBehavior="tab"
        onAction={(id) => void navigate({ to: '/offers/$id', params: { id: String(id) } })}
        renderEmptyState={() => <p className="column-empty muted">{words.emptyColumn}</p>}
        {...(canDrag ? { dragAndDropHooks } : {})}
      >
        {(card) => (
          <GridListItem
            id={card.id}
            textValue={`${card.title}, ${card.company.name}`}
            className="column-item"
          >
            <OfferCard
              card={card}
              note={notes[card.id]}
              canDrag={canDrag}
              onMove={(to) => onMove(card, to)}
            />
          </GridListItem>
        )}
      </GridList>
      {next_cursor !== null && (
        <div className="column-more">
          {onMore ? (
            <Button
              size="small"
              kind="quiet"
              isPending={isReadingMore}
              onPress={() => {
                asked.current = cards.length;
                onMore();
              }}
            >
              {words.showMore}
            </Button>
          ) : (
            <Link to="/offers" search={rest}>
              {words.restInList}
            </Link>
          )}
        </div>
      )}
    </section>
  );
}

/** A column whose cards are still being read: its head is already in place. */
export function LoadingColumn({
  status,
  sums,
  user,
}: {
  status: OfferStatus;
  sums: Sums | undefined;
  user: string | undefined;
}) {
  return (
    <section className="column" data-status={status}>
      <ColumnHead status={status} sums={sums} rest={restOf(status, user)} />
      <div className="column-cards">
        <Skeleton kind="cards" rows={4} />
      </div>
    </section>
  );
}

/** The filters with which the list shows a whole column. */
function restOf(status: OfferStatus, user: string | undefined) {
  return { tab: 'list', status, ...(user ? { user_id: user } : {}) };
}

function ColumnHead({
  status,
  sums,
  rest,
}: {
  status: OfferStatus;
  sums: Sums | undefined;
  rest: ReturnType<typeof restOf>;
}) {
  const words = useWords(offerWords);
  const { offerStatus } = useWords(shared);
  const format = useFormat();
  return (
    <header className="column-head">
      <h2>
        <Status tone={TONES[status] ?? 'neutral'}>{offerStatus[status]}</Status>
        <span className="column-count numeric">{sums ? format.number(sums.count) : ''}</span>
      </h2>
      <ColumnSums sums={sums} />
      {isClosed(status) && (
        <p className="column-since">
          <span className="muted">{words.recentDays}</span>
          <Link to="/offers" search={rest}>
            {words.seeAll}
            <span className="visually-hidden">{`: ${offerStatus[status]}`}</span>
          </Link>
        </p>
      )}
    </header>
  );
}

function ColumnSums({ sums }: { sums: Sums | undefined }) {
  const words = useWords(offerWords);
  const { oneTime, weighted } = useWords(shared);
  const format = useFormat();
  const lines = [
    [oneTime, sums?.one_time],
    [words.perYear, sums?.recurring],
    [weighted, sums?.weighted],
  ] as const;
  return (
    <dl className="column-sums">
      {lines.map(([label, sum]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd className="numeric truncate" title={sum && wholeSum(format, sum)}>
            {sum ? shortAmount(format, BigInt(sum)) : '\u00A0'}
          </dd>
        </div>
      ))}
    </dl>
  );
}
