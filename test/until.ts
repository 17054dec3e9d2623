import { setImmediate } from 'node:timers/promises';

/** Waits for something to happen, on the event loop's own clock: also where a test has stopped all others. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}
