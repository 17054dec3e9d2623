import { useOnline } from '../client/online.ts';
import { Band } from '../components/band.tsx';
import { useWords } from '../words/dictionary.ts';
import { frameWords } from './words.ts';

/** Says that there is no network for as long as the browser says so. */
export function OfflineBand() {
  const words = useWords(frameWords);
  const isOnline = useOnline();
  return <div role="status">{!isOnline && <Band kind="warning">{words.offline}</Band>}</div>;
}
