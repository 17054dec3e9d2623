import { onTestFinished, vi } from 'vitest';

const { now } = Date;
const { instant } = Temporal.Now;

/** Until the end of the test, the clock of this process is ahead of PostgreSQL's by so many hours. */
export function setClockAhead(hours: number): void {
  const spies = [
    vi.spyOn(Date, 'now').mockImplementation(() => now() + hours * 3_600_000),
    vi.spyOn(Temporal.Now, 'instant').mockImplementation(() => instant().add({ hours })),
  ];
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore();
  });
}
