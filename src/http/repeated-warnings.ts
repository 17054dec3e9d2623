import type { Logger } from 'pino';

/** Logs a warning; `kind` tells which ones say the same. */
export type Warn = (kind: string, fields: object, message: string) => void;

const INTERVAL_MS = 1_000;

/**
 * Warnings of one kind are at most one line a second: the first at once, those that follow within a second as
 * one line with their count and the fields of the last.
 */
export function warnOncePerSecond(log: Logger): Warn {
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
    setTimeout(release, INTERVAL_MS, kind).unref();
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
