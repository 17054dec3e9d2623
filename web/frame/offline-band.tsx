import { useSyncExternalStore } from 'react';
import { Band } from '../components/band.tsx';
import { useWords } from '../words/dictionary.ts';
import { frameWords } from './words.ts';

/** Says that there is no network for as long as the browser says so. */
export function OfflineBand() {
  const words = useWords(frameWords);
  const online = useSyncExternalStore(subscribe, () => navigator.onLine);
  return <div role="status">{!online && <Band kind="warning">{words.offline}</Band>}</div>;
}

function subscribe(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
