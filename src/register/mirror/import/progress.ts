import { SingleBar } from 'cli-progress';
import type { ImportProgress } from './load.ts';

/** Shows how far an import is. */
export type ProgressShow = {
  progress(progress: ImportProgress): void;
  step(step: 'indexing' | 'publishing'): void;
  /** Leaves the terminal as it was. */
  end(): void;
};

/** Milliseconds between two lines where nobody watches. */
const LINE_EVERY = 10_000;

export const noProgress: ProgressShow = { progress() {}, step() {}, end() {} };

/** A bar that is drawn over itself; its end is reckoned from the packed bytes. */
export function barProgress(stream: NodeJS.WriteStream): ProgressShow {
  let bar: SingleBar | undefined;
  let title: string | undefined;
  const meter = startMeter();

  function end(): void {
    bar?.stop();
    bar = undefined;
  }

  return {
    progress(progress) {
      if (title !== progress.title) {
        end();
        title = progress.title;
        const drawn = progress.size === undefined ? '' : '[{bar}] {percentage}%  ';
        bar = new SingleBar({ stream, format: `${title}  ${drawn}{facts}`, barsize: 24, hideCursor: true });
        bar.start(progress.size ?? 0, 0, { facts: '' });
      }
      bar?.update(progress.bytes, { facts: meter(progress) });
    },
    step(step) {
      end();
      stream.write(`${step} …\n`);
    },
    end,
  };
}

/** A line now and then, for logs. */
export function lineProgress(
  stream: { write(text: string): unknown },
  everyMs: number = LINE_EVERY,
): ProgressShow {
  let last = performance.now();
  const meter = startMeter();
  return {
    progress(progress) {
      if (performance.now() - last < everyMs) return;
      last = performance.now();
      const share =
        progress.size === undefined ? '' : `${Math.floor((100 * progress.bytes) / progress.size)}%, `;
      stream.write(`${progress.title}: ${share}${meter(progress)}\n`);
    },
    step: (step) => void stream.write(`${step}\n`),
    end() {},
  };
}

/** Units, units a second, and the time left of the file under way. */
function startMeter(): (progress: ImportProgress) => string {
  const start = performance.now();
  let file: { title: string; start: number } | undefined;
  return ({ title, bytes, size, units }) => {
    const now = performance.now();
    if (file?.title !== title) file = { title, start: now };
    const perSecond = Math.round(units / Math.max((now - start) / 1_000, 0.001));
    const left = ((now - file.start) * ((size ?? 0) - bytes)) / bytes / 1_000;
    const told = size === undefined ? `${(bytes / 1e6).toFixed(0)} MB read` : `${timeOf(left)} left`;
    return `${units} units, ${perSecond} units/s, ${told}`;
  };
}

function timeOf(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}
