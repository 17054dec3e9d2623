/**
 * Runs costly reads of which many may be asked for at once: of a key, one is under way and one waits for it, which
 * everybody who asks meanwhile shares. So what is answered was never read before it was asked for.
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
