import { expect, test } from 'vitest';
import { troubleDatabase } from '../faults/link.ts';
import { breachesOf } from '../faults/outcome.ts';
import { exhaustDescriptors, loseLog } from '../faults/processes.ts';
import { openStage } from '../faults/stage.ts';

// Like `faults.test.ts`, the short form of `npm run test:faults`.
test('the service holds with a log on a full disk, no more files to open, a line that carries a few bytes, no connection left', async () => {
  await using stage = await openStage({ settings: { max_connections: '20' } });
  expect(breachesOf(await loseLog(stage))).toEqual([]);
  expect(breachesOf(await exhaustDescriptors(stage, { seconds: 0.2 }))).toEqual([]);
  const only = ['a few bytes at a time', 'all connections taken'];
  expect(breachesOf(await troubleDatabase(stage, { seconds: 0.5, only }))).toEqual([]);
});
