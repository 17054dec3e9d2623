import type { Answer } from './client.ts';

/**
 * Asks again while the service says that it has not processed the request: among many requests of one key, one may
 * wait for its turn longer than the service allows, on a slow machine.
 */
export async function untilProcessed(ask: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await ask();
    if (answer.status !== 503 || !answer.body.error.includes('did not process this request')) return answer;
  }
}
