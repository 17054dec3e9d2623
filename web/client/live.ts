import type { InfiniteData, Query, QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ChangeEntry } from '../../src/changes/schema.ts';
import { call } from './call.ts';
import { placeQuery } from './place.ts';
import { isProblem } from './problem.ts';
import { fetchAnew } from './queries.ts';
import type { RecordChange } from './records.ts';
import { useSession } from './session.ts';

/** First parts of the keys of queries that show a resource. `users`: its assignee may be a member added just now. */
const SHOWN_BY: Record<ChangeEntry['resource'], readonly string[]> = {
  company: ['companies', 'contacts', 'offers', 'tasks', 'users'],
  note: ['companies', 'notes'],
  contact: ['contacts', 'companies', 'offers', 'tasks'],
  point: ['contacts'],
  link: ['contacts', 'companies'],
  task: ['tasks', 'companies', 'contacts', 'offers', 'users'],
  offer: ['offers', 'companies', 'contacts', 'tasks', 'users'],
};

/** First parts of the keys of queries that show something of every resource. */
const SHOW_ALL = ['home', 'search', 'counts', 'history', 'timeline', 'activity', 'demo'];

const WAIT_SECONDS = 25;
const PAUSE_MS = 3_000;

/** `place`: the cursor to continue from. */
type News = {
  place: string;
  resources: readonly ChangeEntry['resource'][];
  changes: readonly RecordChange[];
};

/**
 * Keeps what is shown current. One tab of the browser waits for changes and tells the others; when it closes or
 * is frozen, the lock passes on, and the next tab continues from the last place it was told. Where the browser has no
 * locks (http except on localhost), each tab waits itself while visible: browsers have few connections to one host.
 * @param isOn false while nobody is signed in
 * @param onChanges called with the changes, of this tab and of others
 */
export function useLiveChanges(isOn: boolean, onChanges: (changes: readonly RecordChange[]) => void): void {
  const client = useQueryClient();
  const { workspace, user } = useSession();
  const scope = `kundebok.live.${workspace.id}.${user.id}`;
  useEffect(() => {
    if (!isOn) return undefined;
    const channel = new BroadcastChannel(scope);
    const show = (news: News) => {
      client.setQueryData(placeQuery.queryKey, news.place);
      showNews(client, news);
      onChanges(news.changes);
    };
    channel.addEventListener('message', ({ data }: MessageEvent<News>) => show(data));
    const tell = (news: News) => {
      channel.postMessage(news);
      show(news);
    };
    const hasLocks = 'locks' in navigator;
    let ended: AbortController | undefined;
    const end = () => ended?.abort();
    const begin = () => {
      end();
      if (!hasLocks && document.visibilityState === 'hidden') return;
      ended = new AbortController();
      const { signal } = ended;
      const wait = () => waitForChanges(client, tell, signal);
      const waiting = hasLocks ? navigator.locks.request(scope, { signal }, wait) : wait();
      waiting.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
    };
    begin();
    if (!hasLocks) document.addEventListener('visibilitychange', begin);
    // Frozen, this tab can neither hear nor tell: another waits meanwhile.
    document.addEventListener('freeze', end);
    document.addEventListener('resume', begin);
    return () => {
      document.removeEventListener('freeze', end);
      document.removeEventListener('resume', begin);
      document.removeEventListener('visibilitychange', begin);
      end();
      channel.close();
    };
  }, [client, scope, isOn, onChanges]);
}

async function waitForChanges(
  client: QueryClient,
  tell: (news: News) => void,
  signal: AbortSignal,
): Promise<void> {
  let cursor = client.getQueryData(placeQuery.queryKey) ?? 'now';
  while (!signal.aborted) {
    try {
      const wait = cursor === 'now' ? 0 : WAIT_SECONDS;
      const { data } = await call('GET /changes', { query: { cursor, wait }, signal });
      const place = data.page.next_cursor;
      // Without a place to continue from, it is unknown what happened before: everything is fetched again.
      tell({ place, ...(cursor === 'now' ? EVERYTHING : newsOf(data.data)) });
      cursor = place;
    } catch (error) {
      if (signal.aborted) return;
      if (isProblem(error, 'cursor_expired')) cursor = 'now';
      else await pause(signal);
    }
  }
}

const EVERYTHING = { resources: Object.keys(SHOWN_BY) as (keyof typeof SHOWN_BY)[], changes: [] };

function newsOf(entries: readonly ChangeEntry[]): Omit<News, 'place'> {
  return {
    resources: [...new Set(entries.map(({ resource }) => resource))],
    changes: entries.map(({ resource, resource_id, request_id }) => ({
      record: `${resource} ${resource_id}`,
      requestId: request_id,
    })),
  };
}

function showNews(client: QueryClient, { resources }: News): void {
  if (resources.length === 0) return;
  const shown = new Set([...resources.flatMap((resource) => SHOWN_BY[resource]), ...SHOW_ALL]);
  void client.invalidateQueries({ predicate: isLongHistory, refetchType: 'none' });
  fetchAnew(client, (query) => shown.has(String(query.queryKey[0])) && !isLongHistory(query));
}

/** Finding a page of the history can mean reading thousands of entries: a long one is read again at the next visit. */
function isLongHistory({ queryKey, state }: Query): boolean {
  const { pages = [] } = (state.data ?? {}) as Partial<InfiniteData<unknown>>;
  return queryKey[0] === 'history' && pages.length > 1;
}

/** Waits a little, or until the network is back. */
function pause(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      window.removeEventListener('online', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, PAUSE_MS);
    window.addEventListener('online', done);
    signal.addEventListener('abort', done);
  });
}
