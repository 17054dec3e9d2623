import { useQuery } from '@tanstack/react-query';
import type { OfferHistoryEntry } from '../../../src/offers/history.ts';
import { queryOf } from '../../client/queries.ts';
import { Entry, EntryList } from '../../components/entry-list.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { words } from './words.ts';

export const historyQuery = (id: string) => queryOf('GET /offers/{id}/history', { params: { id } });

/** What happened to an offer, the newest first. */
export function History({ id }: { id: string }) {
  const said = useWords(words);
  const history = useQuery({
    ...historyQuery(id),
    // The history of the offer shown before is not shown meanwhile.
    placeholderData: undefined,
  });
  return (
    <section className="offer-history">
      <h2>{said.history}</h2>
      {history.error && !history.data && (
        <ErrorState error={history.error} onRetry={() => void history.refetch()} />
      )}
      {history.isPending && <Skeleton kind="text" rows={4} />}
      {history.data?.data.data.length === 0 && <p className="muted">{said.noHistory}</p>}
      <EntryList>
        {history.data?.data.data.map((entry) => (
          <EntryView key={`${entry.at} ${entry.action} ${entry.fields.join()}`} entry={entry} />
        ))}
      </EntryList>
      {history.data?.data.has_more && <p className="muted">{said.historyEnd}</p>}
    </section>
  );
}

function EntryView({ entry }: { entry: OfferHistoryEntry }) {
  const said = useWords(words);
  const format = useFormat();
  const valueText = useValueText();
  const { action, actor, fields, values, at } = entry;
  const who = useActor(actor);
  const named = fields.map((field) => said.fields[field as keyof typeof said.fields] ?? field);
  const isOfDemo = action === 'created' && actor.kind === 'command' && actor.name === 'demo';
  const text = isOfDemo
    ? said.cameWithDemo
    : action === 'updated'
      ? said.did.updated(who, format.list(named))
      : said.did[action](who);
  const shown = action === 'updated' ? Object.entries(values) : [];
  return (
    <Entry>
      <p className="offer-entry">
        <span>{text}</span>
        <span className="muted">
          <Time at={at} />
        </span>
      </p>
      {shown.map(([field, [before, after]]) => (
        <p key={field} className="offer-entry-values">
          <span className="muted">{`${said.fields[field as keyof typeof said.fields] ?? field}: `}</span>
          {said.from(valueText(field, before), valueText(field, after))}
        </p>
      ))}
    </Entry>
  );
}

function useActor({ kind, name }: OfferHistoryEntry['actor']): string {
  const said = useWords(words);
  if (kind === 'user') return name ?? said.somebody;
  if (kind === 'key') return name ? said.keyNamed(name) : said.aKey;
  return kind === 'register' ? said.register : said.operator;
}

function useValueText() {
  const { offerStatus, empty } = useWords(shared);
  const format = useFormat();
  return (field: string, value: unknown): string => {
    if (value === null || value === undefined) return empty;
    if (field === 'status') return offerStatus[value as keyof typeof offerStatus];
    if (typeof value === 'string') return value;
    if (typeof value !== 'number') return empty;
    return field === 'weight' ? format.percent(value) : format.amount(value);
  };
}
