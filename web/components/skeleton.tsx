import { useOnline } from '../client/online.ts';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import './states.css';

/** Rows in the shape of what comes; nothing shows for the first 150 ms. The frame says when there is no network. */
export function Skeleton({ rows = 6, kind = 'rows' }: { rows?: number; kind?: 'rows' | 'text' | 'cards' }) {
  const words = useWords(shared);
  const isOnline = useOnline();
  return (
    <div className="skeleton" data-kind={kind} role="status">
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="skeleton-row" aria-hidden="true" />
      ))}
      {isOnline && <span className="visually-hidden">{words.loading}</span>}
    </div>
  );
}
