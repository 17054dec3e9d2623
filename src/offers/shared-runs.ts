/**
 * Shares expensive reads among concurrent callers: for each key, at most one read runs and one waits. Callers that
 * arrive meanwhile share the waiting one, so that no caller gets a result that was read before its call.
 */
export function createSharedRuns<Result>() {
  const runs = new Map<string, { running: Promise<Result>; next?: Promise<Result> }>();

  function start(key: string, run: () => Promise<Result>): Promise<Result> {
    const entry: { running: Promise<Result>; next?: Promise<Result> } = { running: run() };
    runs.set(key, entry);
    const end = () => {
      if (!entry.next) runs.delete(key);
    };
    entry.running.then(end, end);
    return entry.running;
  }

  return (key: string, run: () => Promise<Result>): Promise<Result> => {
    const current = runs.get(key);
    if (!current) return start(key, run);
    const again = () => start(key, run);
    current.next ??= current.running.then(again, again);
    return current.next;
  };
}
