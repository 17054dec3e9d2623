import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import './states.css';

/** Rows in the shape of what comes; nothing shows for the first 150 ms. */
export function Skeleton({ rows = 6, kind = 'rows' }: { rows?: number; kind?: 'rows' | 'text' | 'cards' }) {
  const words = useWords(shared);
  return (
    <div className="skeleton" data-kind={kind} role="status" aria-label={words.loading}>
      {Array.from({ length: rows }, (_, at) => (
        <div key={at} className="skeleton-row" aria-hidden="true" />
      ))}
    </div>
  );
}
