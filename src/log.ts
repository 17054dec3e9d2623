import { setTimeout as sleep } from 'node:timers/promises';
import { pino, type Logger, type LevelWithSilent } from 'pino';

/** Bytes that are gathered before they are written, and the longest time that a line waits. */
const MIN_WRITE_LENGTH = 16_000;
const MAX_WAIT_MS = 250;

/** Bytes that wait for a full disk or a reader that is slow; further lines are dropped. */
const MAX_WAITING_LENGTH = 8_000_000;
/** How long the end of the process waits for the last lines to be written. */
const MAX_FLUSH_MS = 1_000;

/** What the kernel writes to a pipe in one piece (PIPE_BUF): lines of several processes do not mix. */
const MAX_SHARED_WRITE_LENGTH = 4_000;

/**
 * Opens a log of JSON lines that is written in the background. Lines that are not yet written are lost when the
 * process is killed: wait for `flush` before it ends. A failed write does not stop the service; it is retried.
 * @param fd file descriptor to write to
 * @param worker number of the worker, one of several processes that write to `fd`; each line has it
 */
export function openLog(
  level: LevelWithSilent,
  fd: number,
  worker?: number,
): { log: Logger; flush: () => Promise<void> } {
  const minLength = worker === undefined ? MIN_WRITE_LENGTH : MAX_SHARED_WRITE_LENGTH - 1;
  const destination = pino.destination({
    fd,
    sync: false,
    minLength,
    maxLength: MAX_WAITING_LENGTH,
    ...(worker !== undefined && { maxWrite: MAX_SHARED_WRITE_LENGTH }),
    periodicFlush: MAX_WAIT_MS,
  });
  const log = pino({ level, base: worker === undefined ? undefined : { worker } }, destination);
  let dropped = 0;
  destination.on('error', () => {});
  destination.on('drop', () => (dropped += 1));
  destination.on('drain', () => {
    if (dropped > 0) log.warn({ count: dropped }, 'lines were dropped while the log could not be written');
    dropped = 0;
  });
  // Called for a fatal line and at the end of the process; on a full disk it would retry for ever.
  destination.flushSync = () => {};
  return {
    log,
    flush: () =>
      Promise.race([writeAll(destination, minLength), sleep(MAX_FLUSH_MS, undefined, { ref: false })]),
  };
}

async function writeAll(destination: ReturnType<typeof pino.destination>, minLength: number): Promise<void> {
  // Otherwise a last batch shorter than `minLength` would not be written.
  Object.assign(destination, { minLength: 1 });
  await new Promise<void>((resolve) => destination.flush(() => resolve()));
  Object.assign(destination, { minLength });
}
