import { pino } from 'pino';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limitWarnings } from './repeated-warnings.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function gather() {
  const lines: Record<string, unknown>[] = [];
  const log = pino(
    { base: undefined, timestamp: false },
    { write: (line: string) => void lines.push(JSON.parse(line)) },
  );
  return { lines, warn: limitWarnings(log, 1_000) };
}

test('the first warning of a kind is a line at once, those of the next second are one with their count', () => {
  const { lines, warn } = gather();
  for (let count = 1; count <= 5; count++) warn('database', { request_id: `r${count}` }, 'away');
  expect(lines).toEqual([{ level: 40, request_id: 'r1', msg: 'away' }]);
  vi.advanceTimersByTime(1_000);
  expect(lines.slice(1)).toEqual([{ level: 40, request_id: 'r5', count: 4, msg: 'away' }]);
});

test('a flood is one line a second, and kinds do not hold each other back', () => {
  const { lines, warn } = gather();
  for (let second = 0; second < 3; second++) {
    for (let count = 0; count < 1_000; count++) warn('database', {}, 'away');
    warn('register', {}, 'silent');
    vi.advanceTimersByTime(1_000);
  }
  expect(lines.filter(({ msg }) => msg === 'away').map(({ count }) => count)).toEqual([
    undefined,
    999,
    1_000,
    1_000,
  ]);
  expect(lines.filter(({ msg }) => msg === 'silent')).toHaveLength(3);
});

test('after a quiet second a warning is a line at once again', () => {
  const { lines, warn } = gather();
  warn('database', {}, 'away');
  vi.advanceTimersByTime(1_500);
  warn('database', {}, 'away');
  expect(lines).toHaveLength(2);
});
