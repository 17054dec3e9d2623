import { setTimeout as sleep } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

const PAUSE_MS = 5;

/**
 * Does something again and again until it is stopped, or the test ends, with a pause after each time. The full load
 * that the machine bears would slow what the test waits for, and show no more.
 * @param workers how many do it at once
 * @returns a function that stops it, and waits for what is under way
 */
export function startSteadyLoad(workers: number, work: () => Promise<void>): () => Promise<void> {
  const over = new AbortController();
  const ends = Promise.all(
    Array.from({ length: workers }, async () => {
      while (!over.signal.aborted) {
        await work();
        await sleep(PAUSE_MS);
      }
    }),
  );
  const stop = async () => {
    over.abort();
    await ends;
  };
  onTestFinished(stop);
  return stop;
}
