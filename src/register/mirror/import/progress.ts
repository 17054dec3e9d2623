import { SingleBar } from 'cli-progress';
import type { ImportProgress } from './load.ts';

/** Where the output is not a terminal, a line is printed this often. */
const LINE_INTERVAL_MS = 10_000;

/** Shows the progress of an import: a bar on a terminal, lines elsewhere. */
export function showProgress(stream: NodeJS.WriteStream) {
  let bar: SingleBar | undefined;
  let title: string | undefined;

  function end(): void {
    bar?.stop();
    bar = undefined;
  }

  return {
    onProgress(progress: ImportProgress): void {
      const { bytes, size, units } = progress;
      if (title !== progress.title) {
        end();
        title = progress.title;
        const share = size === undefined ? '' : '[{bar}] {percentage}%, {eta_formatted} left, ';
        const format = `${title}  ${share}{units} units in {duration_formatted}`;
        const output = { stream, hideCursor: true, noTTYOutput: true, notTTYSchedule: LINE_INTERVAL_MS };
        bar = new SingleBar({ ...output, format, barsize: 24 });
        bar.start(size ?? bytes, 0, { units });
      }
      bar?.update(bytes, { units });
    },
    onStep(step: string): void {
      end();
      stream.write(`${step} …\n`);
    },
    end,
  };
}
