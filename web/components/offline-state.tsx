import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import './states.css';

/** Shown in place of content that was not loaded before the network went away. */
export function OfflineState() {
  const { offline, loadsOnline } = useWords(shared);
  return (
    <div className="state" role="status">
      <p>{`${offline}. ${loadsOnline}`}</p>
    </div>
  );
}
