import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { createBareApp } from '../../test/bare-app.ts';
import { drainable } from './drain.ts';

test('the answer to a request that is turned away while the server stops says that the connection closes', async () => {
  const app = createBareApp({ load: { isFull: () => true } });
  const { drain } = drainable(app);
  app.get('/work', async () => ({ done: true }));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());

  async function ask() {
    const sent = request(`${origin}/work`, { agent, headers: { authorization: 'Bearer kb_key' } });
    const [answer] = await once(sent.end(), 'response');
    await once(answer.resume(), 'end');
    return [answer.statusCode, answer.headers.connection];
  }

  expect(await ask()).toEqual([503, 'keep-alive']);
  const drained = drain();
  expect(await ask()).toEqual([503, 'close']);
  await drained;
});
