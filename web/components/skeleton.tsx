import { useOnline } from '../client/online.ts';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { OfflineState } from './offline-state.tsx';
import './states.css';

/** Rows in the shape of what comes; nothing shows for the first 150 ms. Without a network, says when it will come. */
export function Skeleton({ rows = 6, kind = 'rows' }: { rows?: number; kind?: 'rows' | 'text' | 'cards' }) {
  const words = useWords(shared);
  const isOnline = useOnline();
  if (!isOnline) return <OfflineState />;
  return (
    <div className="skeleton" data-kind={kind} role="status">
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="skeleton-row" aria-hidden="true" />
      ))}
      <span className="visually-hidden">{words.loading}</span>
    </div>
  );
}
