import { pino, type Logger, type LevelWithSilent } from 'pino';

/** Characters that are gathered before they are written, and how long the last line waits at most. */
const MIN_WRITE_LENGTH = 16_000;
const MAX_WAIT_MS = 250;

/** What the kernel writes to a pipe in one piece (PIPE_BUF): lines of several processes do not mix. */
const MAX_SHARED_WRITE_LENGTH = 4_000;

/**
 * Opens a log of JSON lines that is written in the background. Lines that are not yet written are lost when the
 * process is killed: call `flush` before it ends.
 * @param fd file descriptor to write to
 * @param worker number of the worker, one of several processes that write to `fd`; each line has it
 */
export function openLog(
  level: LevelWithSilent,
  fd: number,
  worker?: number,
): { log: Logger; flush: () => void } {
  const destination = pino.destination({
    fd,
    sync: false,
    minLength: worker === undefined ? MIN_WRITE_LENGTH : MAX_SHARED_WRITE_LENGTH - 1,
    ...(worker !== undefined && { maxWrite: MAX_SHARED_WRITE_LENGTH }),
    periodicFlush: MAX_WAIT_MS,
  });
  const base = worker === undefined ? undefined : { worker };
  return { log: pino({ level, base }, destination), flush: () => destination.flushSync() };
}
