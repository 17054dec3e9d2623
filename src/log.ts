import { pino, type Logger, type LevelWithSilent } from 'pino';

/** Characters gathered before they are handed on, and milliseconds the last line waits at most. */
const ENOUGH = 16_384;
const LONGEST_WAIT = 250;

export type Log = {
  log: Logger;
  /** Writes what is left, before the process ends. */
  flush: () => void;
};

/**
 * A log of JSON lines. They are gathered here and handed on many at a time: handed on one by one, writing a line
 * costs more than formatting it. Gathered lines are lost when the process is killed; `flush` before it ends.
 * @param fd file descriptor it goes to
 */
export function openLog(level: LevelWithSilent, fd: number): Log {
  const destination = pino.destination({ fd, sync: false });
  let lines: string[] = [];
  let length = 0;

  function handOn(): void {
    if (length === 0) return;
    const gathered = lines.join('');
    lines = [];
    length = 0;
    destination.write(gathered);
  }

  setInterval(handOn, LONGEST_WAIT).unref();
  const log = pino(
    { level, base: undefined },
    {
      write(line: string) {
        length += line.length;
        lines.push(line);
        if (length >= ENOUGH) handOn();
      },
    },
  );
  return {
    log,
    flush() {
      handOn();
      destination.flushSync();
    },
  };
}
