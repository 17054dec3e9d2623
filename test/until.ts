import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** About as many questions that reach the database as one client can ask in a second on an idle machine. */
const QUESTIONS = 500;

/** Waits for something to happen, on the event loop's own clock: also where a test has stopped all others. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

/**
 * Asks until the answer is as expected: for the second that the contract allows, and at least QUESTIONS times. On a
 * busy machine each question takes longer to reach the database, so that fewer fit into a second.
 * @returns the last answer
 */
export async function answerWithinSecond<T>(ask: () => Promise<T>, expected: T): Promise<T> {
  // No test sets this clock.
  const end = process.hrtime.bigint() + 1_000_000_000n;
  let answer = await ask();
  for (let question = 1; !isDeepStrictEqual(answer, expected); question++) {
    if (question >= QUESTIONS && process.hrtime.bigint() > end) return answer;
    answer = await ask();
  }
  return answer;
}
