import type { Logger } from 'pino';

/** Logs a warning. Warnings of the same `kind` count as repetitions of one. */
type Warn = (kind: string, fields: object, message: string) => void;

/**
 * Logs at most one line for each kind of warning in each interval: the first warning at once, and those that follow
 * within the interval as one line at its end, with their count and the fields of the last.
 */
export function limitWarnings(log: Pick<Logger, 'warn'>, intervalMs: number): Warn {
  const held = new Map<string, { count: number; fields: object; message: string }>();

  function release(kind: string): void {
    const { count, fields, message } = held.get(kind)!;
    held.delete(kind);
    if (count === 0) return;
    log.warn({ ...fields, count }, message);
    hold(kind);
  }

  function hold(kind: string): void {
    held.set(kind, { count: 0, fields: {}, message: '' });
    setTimeout(release, intervalMs, kind).unref();
  }

  return (kind, fields, message) => {
    const repeated = held.get(kind);
    if (repeated) {
      Object.assign(repeated, { count: repeated.count + 1, fields, message });
      return;
    }
    log.warn(fields, message);
    hold(kind);
  };
}
