import cliProgress, { type SingleBar, type TimeFormatter } from 'cli-progress';
import { interruptibly } from './interrupt.ts';

/** `done` of `size` parts of the step `title` are done; `count` is shown next to it. */
export type Progress = { title: string; done: number; size: number | undefined; count: number };

/** How often a line is printed where the output is not a terminal. */
const LINE_INTERVAL_MS = 10_000;

/** The time left is estimated from this many recent steps: an import takes several in a millisecond. */
const STEPS_FOR_ESTIMATE = 1_000;

/** The library shows a word in place of a time that it cannot know, for example at the beginning. */
const formatTime: TimeFormatter = (seconds, options, multiple) =>
  Number.isFinite(seconds) ? cliProgress.Format.TimeFormat(seconds, options, multiple) : '?';

type Shown = Partial<ReturnType<typeof showProgress>> & { signal: AbortSignal };

/**
 * Runs work that SIGINT, SIGTERM and SIGHUP abort, and shows its progress on standard error unless the output is JSON.
 * @param counted what `count` counts
 */
export async function withProgress<T>(
  { json = false }: { json?: boolean },
  counted: string,
  work: (shown: Shown) => Promise<T>,
): Promise<T> {
  const progress = json ? undefined : showProgress(process.stderr, counted);
  try {
    return await interruptibly((signal) => work({ ...progress, signal }));
  } finally {
    progress?.end();
  }
}

/** A bar on a terminal, lines elsewhere. */
function showProgress(stream: NodeJS.WriteStream, counted: string) {
  let bar: SingleBar | undefined;
  let title: string | undefined;

  function end(): void {
    bar?.stop();
    bar = undefined;
  }

  return {
    onProgress(progress: Progress): void {
      const { done, size, count } = progress;
      if (title !== progress.title) {
        end();
        title = progress.title;
        const share = size === undefined ? '' : '[{bar}] {percentage}%, {eta_formatted} left, ';
        const format = `${title}  ${share}{count} ${counted} in {duration_formatted}`;
        const output = { stream, hideCursor: true, noTTYOutput: true, notTTYSchedule: LINE_INTERVAL_MS };
        bar = new cliProgress.SingleBar({
          ...output,
          format,
          formatTime,
          etaBuffer: STEPS_FOR_ESTIMATE,
          barsize: 24,
        });
        bar.start(size ?? done, 0, { count });
      }
      bar?.update(done, { count });
    },
    onStep(step: string): void {
      end();
      stream.write(`${step} …\n`);
    },
    end,
  };
}
