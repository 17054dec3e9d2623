import type { Logger } from 'pino';

/** Logs a warning; `kind` identifies those that say the same. */
type Warn = (kind: string, fields: object, message: string) => void;

/**
 * Warnings of one kind are at most one line in each interval: the first at once, those that follow within the
 * interval as one line with their count and the fields of the last.
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
