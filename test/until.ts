import { setImmediate } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';

/** About as many questions that reach the database as one client can ask in a second on an idle machine. */
const QUESTIONS = 500;

/** Waits for something to happen, on the event loop's own clock: also where a test has stopped all others. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await setImmediate();
}

/**
 * Asks until the answer is as expected, for the second that the contract allows. It is counted in questions, which
 * have to reach the database: a busy machine takes longer for each, and needs no more of them.
 * @returns the last answer
 */
export async function answerWithinSecond<T>(ask: () => Promise<T>, expected: T): Promise<T> {
  let answer = await ask();
  for (let question = 1; question < QUESTIONS && !isDeepStrictEqual(answer, expected); question++) {
    answer = await ask();
  }
  return answer;
}
