import { SingleBar } from 'cli-progress';

/** `done` of `size` have been worked off of what `title` names; `count` is shown beside. */
export type Progress = { title: string; done: number; size: number | undefined; count: number };

/** Where the output is not a terminal, a line is printed this often. */
const LINE_INTERVAL_MS = 10_000;

/** Shows how far a command is: a bar on a terminal, lines elsewhere. @param counted what `count` counts */
export function showProgress(stream: NodeJS.WriteStream, counted: string) {
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
        bar = new SingleBar({ ...output, format, barsize: 24 });
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
