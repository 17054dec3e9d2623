import { expect, test } from 'vitest';
import { createSharedRuns } from './shared-runs.ts';

test('requests during a run share the next run, which begins after it, and a failure is not kept', async () => {
  const begun: PromiseWithResolvers<number>[] = [];
  const share = createSharedRuns<number>();
  const ask = () =>
    share('a', () => {
      const run = Promise.withResolvers<number>();
      begun.push(run);
      return run.promise;
    });

  const first = ask();
  const [second, third] = [ask(), ask()];
  expect(begun).toHaveLength(1);
  begun[0]!.reject(new Error('database gone'));
  await expect(first).rejects.toThrow('database gone');
  await expect.poll(() => begun.length).toBe(2);
  begun[1]!.resolve(2);
  expect(await Promise.all([second, third])).toEqual([2, 2]);

  const fourth = ask();
  expect(begun).toHaveLength(3);
  begun[2]!.resolve(3);
  expect(await fourth).toBe(3);
});
