import { expect, test } from 'vitest';
import { untilEnd } from '../../web/client/day-end.ts';
import { setClockAhead } from '../wrong-clock.ts';

/** The longest that a browser's timer waits: a longer one is over at once. */
const LONGEST_MS = 2 ** 31 - 1;

test.each([0, 1_000, -1_000])(
  'a browser whose clock is off by %d hours asks again, but not without a pause',
  (hours) => {
    const inAnHour = Temporal.Now.instant().add({ hours: 1 }).toString();
    setClockAhead(hours);
    const wait = untilEnd(inAnHour);
    expect(wait).toBeGreaterThan(1_000);
    expect(wait).toBeLessThanOrEqual(LONGEST_MS);
  },
);
