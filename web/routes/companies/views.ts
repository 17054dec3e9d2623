import { useSyncExternalStore } from 'react';
import { useSession } from '../../client/session.ts';
import type { ListSearch } from './list-query.ts';

/** A list under a name of the person's own. */
type View = { name: string; search: ListSearch };

const listeners = new Set<() => void>();

/** The named views of the person in this workspace, kept by the browser. Each is the search of an address. */
export function useViews() {
  const { user, workspace } = useSession();
  const key = `kundebok.views.companies.${workspace.id}.${user.id}`;
  const read = () => localStorage.getItem(key) ?? '[]';
  const views = parse(useSyncExternalStore(subscribe, read));
  /** Reads the views again: an undo comes seconds after the page was rendered. */
  const replace = (name: string, ...by: View[]) => {
    const others = parse(read()).filter((view) => view.name !== name);
    localStorage.setItem(key, JSON.stringify([...others, ...by]));
    for (const listener of listeners) listener();
  };
  return {
    views,
    save: (view: View) => replace(view.name, view),
    remove: (name: string) => replace(name),
  };
}

/** Whether two addresses show the same list. */
export function isSameView(one: ListSearch, other: ListSearch): boolean {
  const names = [...new Set([...Object.keys(one), ...Object.keys(other)])] as (keyof ListSearch)[];
  return names.every((name) => (one[name] ?? '') === (other[name] ?? ''));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  // The browser tells when another tab has changed the views.
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function parse(stored: string): readonly View[] {
  try {
    const views: unknown = JSON.parse(stored);
    return Array.isArray(views) ? (views as View[]) : [];
  } catch {
    // What somebody has written there by hand is no view.
    return [];
  }
}
