import type { QueryClient } from '@tanstack/react-query';
import { useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { ChangeEntry } from '../../src/changes/schema.ts';
import { call } from './call.ts';
import { CallProblem } from './problem.ts';
import type { RecordChange } from './records.ts';
import { useSession } from './session.ts';

/** First parts of the keys of queries that show something of a resource. */
const SHOWN_BY: Record<ChangeEntry['resource'], readonly string[]> = {
  company: ['companies', 'contacts', 'offers', 'tasks'],
  note: ['companies', 'notes'],
  contact: ['contacts', 'companies', 'offers', 'tasks'],
  point: ['contacts'],
  link: ['contacts', 'companies'],
  task: ['tasks', 'companies', 'contacts', 'offers'],
  offer: ['offers', 'companies', 'contacts', 'tasks'],
};

/** What shows something of everything. */
const SHOW_ALL = ['home', 'search', 'counts', 'changes', 'timeline', 'activity', 'demo'];

const WAIT_SECONDS = 25;
const PAUSE_MS = 3_000;

type News = { resources: ChangeEntry['resource'][]; changes: readonly RecordChange[] };

/**
 * Keeps what is shown current. One tab of the browser waits for changes and tells the others; when it closes,
 * the lock passes on. Where the browser has no locks (http on another host), each visible tab waits itself.
 * @param isOn false while nobody is signed in
 * @param onChanges called with the changes, of this tab and of others
 */
export function useLiveChanges(isOn: boolean, onChanges: (changes: readonly RecordChange[]) => void): void {
  const client = useQueryClient();
  const { workspace, user } = useSession();
  const scope = `kundebok.live.${workspace.id}.${user.id}`;
  useEffect(() => {
    if (!isOn) return undefined;
    const ended = new AbortController();
    const channel = new BroadcastChannel(scope);
    const show = (news: News) => {
      showNews(client, news);
      onChanges(news.changes);
    };
    channel.addEventListener('message', ({ data }: MessageEvent<News>) => show(data));
    const tell = (news: News) => {
      channel.postMessage(news);
      show(news);
    };
    const { signal } = ended;
    const waiting =
      'locks' in navigator
        ? navigator.locks.request(scope, { signal }, () => waitForChanges(tell, signal))
        : waitForChanges(tell, signal);
    waiting.catch((error: unknown) => {
      if (!signal.aborted) throw error;
    });
    return () => {
      ended.abort();
      channel.close();
    };
  }, [client, scope, isOn, onChanges]);
}

async function waitForChanges(tell: (news: News) => void, signal: AbortSignal): Promise<void> {
  let cursor = 'now';
  while (!signal.aborted) {
    try {
      const wait = cursor === 'now' ? 0 : WAIT_SECONDS;
      const { data } = await call('GET /changes', { query: { cursor, wait }, signal });
      cursor = data.page.next_cursor;
      if (data.data.length > 0) tell(newsOf(data.data));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof CallProblem && error.status === 401) return;
      // What happened meanwhile is unknown: everything is fetched again.
      if (error instanceof CallProblem && error.code === 'cursor_expired') {
        cursor = 'now';
        tell({ resources: Object.keys(SHOWN_BY) as News['resources'], changes: [] });
      }
      await pause(signal);
    }
  }
}

function newsOf(entries: readonly ChangeEntry[]): News {
  return {
    resources: [...new Set(entries.map(({ resource }) => resource))],
    changes: entries.map(({ resource, resource_id, request_id }) => ({
      record: `${resource} ${resource_id}`,
      requestId: request_id,
    })),
  };
}

function showNews(client: QueryClient, { resources }: News): void {
  const shown = new Set([...resources.flatMap((resource) => SHOWN_BY[resource]), ...SHOW_ALL]);
  void client.invalidateQueries({ predicate: ({ queryKey }) => shown.has(String(queryKey[0])) });
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
