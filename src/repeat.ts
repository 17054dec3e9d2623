/** Calls `run` after this many milliseconds. Calling the returned function before then cancels that. */
export type After = (milliseconds: number, run: () => void) => () => void;

/**
 * Calls `run` again and again until `stop` is called. `stop` waits for a run in progress. Delays vary by up to a fifth,
 * so that the processes of one installation do not all run at once.
 * @param run returns the milliseconds until the next run, and must not throw
 */
export function repeat(
  firstAfterMs: number,
  run: (signal: AbortSignal) => Promise<number>,
  after: After = afterTimeout,
): { stop(): Promise<void> } {
  const stopping = new AbortController();
  let cancel: (() => void) | undefined;
  let running = Promise.resolve();

  async function runOnce(): Promise<void> {
    const next = await run(stopping.signal);
    if (!stopping.signal.aborted) later(next);
  }

  function later(milliseconds: number): void {
    cancel = after(milliseconds * (0.8 + 0.4 * Math.random()), () => {
      running = runOnce();
    });
  }

  later(firstAfterMs);
  return {
    async stop() {
      stopping.abort();
      cancel?.();
      await running;
    },
  };
}

function afterTimeout(milliseconds: number, run: () => void): () => void {
  const timer = setTimeout(run, milliseconds).unref();
  return () => clearTimeout(timer);
}
