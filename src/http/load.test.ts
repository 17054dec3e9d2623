import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { pino } from 'pino';
import { createApp } from './app.ts';

test('past its memory a process collects its garbage, and answers once that was all', async () => {
  const app = createApp({
    log: pino({ level: 'silent' }),
    onAnswer() {},
    onShed() {},
    slowRequestMs: 1_000,
    limits: undefined,
    trustProxy: [],
    load: {
      lagMs: Infinity,
      memory: process.memoryUsage.rss() + 200 * 1_024 ** 2,
      isFull: () => false,
    },
  });
  app.get('/work', async () => ({ done: true }));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  const held = Array.from({ length: 6_000_000 }, (_, n) => ({ n, text: `${n}` }));
  held.length = 0;
  // Memory is looked at twice a second.
  await setTimeout(1_500);
  expect((await fetch(`${origin}/work`)).status).toBe(200);
});
