/** Scripts that make one thing of a page late, as it is on a slow machine: for `runFirst`, or all pages of a run. */
export const SLOW_PAGES = {
  /** What is rendered appears a tenth of a second late. */
  rendering: `{
    const { setTimeout: wait, MessagePort: { prototype } } = globalThis;
    const { postMessage: post } = prototype;
    prototype.postMessage = function (...given) { wait(() => post.apply(this, given), 100); };
  }`,
  frames: `{
    const { setTimeout: wait, requestAnimationFrame: ask, cancelAnimationFrame: cancel } = globalThis;
    const asked = new Map();
    let last = 0;
    globalThis.requestAnimationFrame = (run) => {
      const id = ++last;
      const timer = wait(() => {
        const frame = ask((time) => { asked.delete(id); run(time); });
        asked.set(id, () => cancel(frame));
      }, 100);
      asked.set(id, () => clearTimeout(timer));
      return id;
    };
    globalThis.cancelAnimationFrame = (id) => { asked.get(id)?.(); asked.delete(id); };
  }`,
  /** Requests and answers are on their way for up to a third of a second each, and overtake each other. */
  answers: `{
    const { fetch: send, setTimeout: wait } = globalThis;
    const pause = () => new Promise((done) => wait(done, Math.random() * 333));
    globalThis.fetch = async (...given) => {
      await pause();
      const answer = await send(...given);
      await pause();
      return answer;
    };
  }`,
  timers: `{
    const { setTimeout: wait } = globalThis;
    globalThis.setTimeout = (run, ms = 0, ...given) => wait(run, ms + Math.random() * 120, ...given);
  }`,
};

/** What all pages of this run are slow in, by the environment. @throws if it names something else */
export function slowPages(): string | undefined {
  const { SLOW_PAGES: chosen } = process.env;
  if (chosen === undefined) return undefined;
  if (chosen in SLOW_PAGES) return SLOW_PAGES[chosen as keyof typeof SLOW_PAGES];
  throw new Error(`SLOW_PAGES is one of ${Object.keys(SLOW_PAGES).join(', ')}`);
}
