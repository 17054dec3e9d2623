import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { pino } from 'pino';
import { createApp } from './app.ts';

const BOUND = process.memoryUsage.rss() + 200 * 1_024 ** 2;

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
      memory: BOUND,
      isFull: () => false,
    },
  });
  app.get('/work', async () => ({ done: true }));
  const origin = await app.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => app.close());
  // V8 may also collect by itself, which no flag tells.
  const flags: number[] = [];
  const observer = new PerformanceObserver((list) => {
    const entries = list.getEntries() as unknown as { detail: { flags: number } }[];
    flags.push(...entries.map(({ detail }) => detail.flags));
  });
  observer.observe({ entryTypes: ['gc'] });
  onTestFinished(() => observer.disconnect());
  const held = Array.from({ length: 6_000_000 }, (_, n) => ({ n, text: `${n}` }));
  held.length = 0;
  expect(process.memoryUsage.rss()).toBeGreaterThan(BOUND);
  await expect.poll(() => flags).toContain(constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE);
  expect(process.memoryUsage.rss()).toBeLessThan(BOUND);
  await expect.poll(async () => (await fetch(`${origin}/work`)).status).toBe(200);
});
