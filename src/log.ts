import { pino, type Logger, type LevelWithSilent } from 'pino';

/** Characters that are gathered before they are written, and how long the last line waits at most. */
const MIN_WRITE_LENGTH = 16_000;
const MAX_WAIT_MS = 250;

/**
 * Opens a log of JSON lines that is written in the background. Lines that are not yet written are lost when the
 * process is killed: call `flush` before it ends.
 * @param fd file descriptor to write to
 */
export function openLog(level: LevelWithSilent, fd: number): { log: Logger; flush: () => void } {
  const destination = pino.destination({
    fd,
    sync: false,
    minLength: MIN_WRITE_LENGTH,
    periodicFlush: MAX_WAIT_MS,
  });
  return { log: pino({ level, base: undefined }, destination), flush: () => destination.flushSync() };
}
