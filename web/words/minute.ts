import { useSyncExternalStore } from 'react';

const MINUTE_MS = 60_000;

const watchers = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;

/** Renders the component again each minute and when the page becomes visible, so that relative times stay right. */
export function useEachMinute(): void {
  useSyncExternalStore(watch, minute);
}

function minute(): number {
  return Math.floor(Date.now() / MINUTE_MS);
}

/** All watchers share one timer: a board has hundreds of watchers. */
function watch(watcher: () => void): () => void {
  if (watchers.size === 0) {
    timer = setInterval(tell, MINUTE_MS);
    document.addEventListener('visibilitychange', tell);
  }
  watchers.add(watcher);
  return () => {
    watchers.delete(watcher);
    if (watchers.size > 0) return;
    clearInterval(timer);
    document.removeEventListener('visibilitychange', tell);
  };
}

function tell(): void {
  for (const watcher of watchers) watcher();
}
