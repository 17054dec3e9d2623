import { constants, PerformanceObserver } from 'node:perf_hooks';
import { expect, onTestFinished, test } from 'vitest';
import { createBareApp } from '../../test/bare-app.ts';

const MIB = 1_024 ** 2;

test('past its memory a process collects its garbage, and answers once that was all', async () => {
  const app = createBareApp({ load: { memory: process.memoryUsage.rss() + 128 * MIB } });
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
  // Outside of V8's heap, which in a worker that has run other tests may have room left.
  let held: Buffer | undefined = Buffer.alloc(512 * MIB, 1);
  await expect.poll(() => flags).toContain(constants.NODE_PERFORMANCE_GC_FLAGS_ALL_AVAILABLE_GARBAGE);
  expect([held[0], (await fetch(`${origin}/work`)).status]).toEqual([1, 503]);
  held = undefined;
  await expect.poll(async () => (await fetch(`${origin}/work`)).status).toBe(200);
});
