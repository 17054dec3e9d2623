import { setImmediate } from 'node:timers/promises';
import { createCrm, type Crm } from '../../examples/crm.ts';

/** A call is reached, its request has left, its answer has arrived. */
export const MOMENTS = ['before', 'during', 'after'] as const;
type Kill = { call: number; moment: (typeof MOMENTS)[number] };

/**
 * Runs a program's work and stops it for good at one of its calls, as the end of its process would: what it waits
 * for there never comes.
 * @returns how many calls it made, and whether it was stopped
 */
export async function runUntilKilled(
  target: { address: string; key: string },
  work: (crm: Crm) => Promise<unknown>,
  kill?: Kill,
): Promise<{ calls: number; killed: boolean }> {
  const dead = Promise.withResolvers<'dead'>();
  let calls = 0;

  async function die(): Promise<never> {
    dead.resolve('dead');
    return new Promise<never>(() => {});
  }

  const crm = createCrm({
    ...target,
    async fetch(input, init) {
      calls += 1;
      if (kill?.call !== calls) return fetch(input, init);
      if (kill.moment === 'before') return die();
      const hangUp = new AbortController();
      const answer = fetch(input, { ...init, signal: hangUp.signal });
      if (kill.moment === 'during') {
        answer.catch(() => {});
        // How far the request comes in the service differs from run to run: the test must pass wherever it ends.
        await setImmediate();
        await setImmediate();
        hangUp.abort();
        return die();
      }
      await (await answer).arrayBuffer();
      return die();
    },
  });
  const end = await Promise.race([work(crm), dead.promise]);
  return { calls, killed: end === 'dead' };
}
