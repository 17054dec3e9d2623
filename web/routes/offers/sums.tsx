import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Sums } from '../../../src/offers/card-schema.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { useMedia } from '../../components/media.ts';
import { Skeleton } from '../../components/skeleton.tsx';
import { TONES, type Tone } from '../../components/status.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { sumsQuery } from './board-data.ts';
import { wholeSum } from './sum-text.ts';
import { offerWords } from './words.ts';
import './sums.css';

type Line = Sums & { id: string; label: string; tone: Tone };

/** Weighted sums as bars, and all sums as tables. */
export function SumsView({ user }: { user: string | undefined }) {
  const words = useWords(offerWords);
  const { offerStatus } = useWords(shared);
  const format = useFormat();
  const [isTable, setIsTable] = useState(false);
  const sums = useQuery(sumsQuery(user));
  if (sums.error && !sums.data) return <ErrorState error={sums.error} onRetry={() => void sums.refetch()} />;
  const read = sums.data?.data.data;
  const isEmpty = read?.by_status.every(({ count }) => count === 0);
  // Empty sums of one owner say nothing about another.
  if (!read || (isEmpty && sums.isPlaceholderData)) return <Skeleton />;
  const { by_status, by_owner, open } = read;
  if (isEmpty) return <Empty>{user ? words.noSumsOfOwner : words.noSums}</Empty>;

  const statuses = by_status.map((one): Line => ({
    ...one,
    id: one.status,
    label: offerStatus[one.status],
    tone: TONES[one.status] ?? 'neutral',
  }));
  const owners = by_owner
    .map(({ owner, ...one }): Line => {
      const label = `${owner.first_name} ${owner.last_name}`;
      return { ...one, id: owner.id, label, tone: 'accent' };
    })
    .toSorted(
      (one, other) => compareSums(other.weighted, one.weighted) || format.compare(one.label, other.label),
    );
  const total: Line = { ...open, id: 'total', label: words.total, tone: 'neutral' };
  return (
    <div className="sums">
      <div className="sums-head">
        <p className="muted">{words.sumsHint}</p>
        <Button size="small" aria-expanded={isTable} onPress={() => setIsTable(!isTable)}>
          {isTable ? words.hideTables : words.showTables}
        </Button>
      </div>
      <Chart title={words.byStatus} lines={statuses} total={total} isTable={isTable} />
      <Chart title={words.byOwner} lines={owners} total={total} isTable={isTable} />
    </div>
  );
}

/** Bars, which screen readers skip. A table says the same to them, and is shown on request. */
function Chart({
  title,
  lines,
  total,
  isTable,
}: {
  title: string;
  lines: readonly Line[];
  total: Line;
  isTable: boolean;
}) {
  const format = useFormat();
  const most = lines.reduce((one, { weighted }) => (compareSums(weighted, one) > 0 ? weighted : one), '1');
  return (
    <section>
      <h2>{title}</h2>
      <ul className="sums-bars" aria-hidden="true">
        {lines.map(({ id, label, weighted, tone }) => (
          <li key={id} data-tone={tone}>
            <span className="truncate">{label}</span>
            <span
              className="sums-bar"
              data-none={weighted === '0' || undefined}
              style={{ '--share': shareOf(weighted, most) } as React.CSSProperties}
            />
            <span className="numeric">{wholeSum(format, weighted)}</span>
          </li>
        ))}
      </ul>
      <SumsTable title={title} lines={[...lines, total]} isShown={isTable} />
    </section>
  );
}

/** On a phone each row is a card of lines. */
function SumsTable({ title, lines, isShown }: { title: string; lines: readonly Line[]; isShown: boolean }) {
  const words = useWords(offerWords);
  const { oneTime, weighted, name } = useWords(shared);
  const format = useFormat();
  const isPhone = useMedia('phone');
  const columns = [
    { id: 'count', label: words.count },
    { id: 'one_time', label: oneTime },
    { id: 'recurring', label: words.perYear },
    { id: 'weighted', label: weighted },
  ] as const;
  return (
    <div
      className={isShown ? 'sums-scroll' : 'visually-hidden'}
      {...(isShown ? { role: 'region', 'aria-label': title, tabIndex: 0 } : {})}
    >
      <table className="sums-table">
        <caption className="visually-hidden">{title}</caption>
        <thead className={isPhone ? 'visually-hidden' : ''}>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{name}</span>
            </th>
            {columns.map(({ id, label }) => (
              <th key={id} scope="col" className="numeric">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map((line) => (
            <tr key={line.id}>
              <th scope="row">{line.label}</th>
              {columns.map(({ id, label }) => (
                <td key={id} className="numeric" data-label={isPhone && isShown ? label : undefined}>
                  {id === 'count' ? format.number(line.count) : wholeSum(format, line[id])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function compareSums(one: string, other: string): number {
  return one.length - other.length || (one < other ? -1 : one > other ? 1 : 0);
}

/** The length of a bar, from 0 to 1 for the longest. */
function shareOf(sum: string, most: string): number {
  return Number((BigInt(sum) * 1000n) / BigInt(most)) / 1000;
}
