import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import './states.css';

/** In place of content that nothing is known of without a network. */
export function OfflineState() {
  const { offline, loadsOnline } = useWords(shared);
  return (
    <div className="state" role="status">
      <p>{`${offline}. ${loadsOnline}`}</p>
    </div>
  );
}
