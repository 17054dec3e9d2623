/** What ends a command: Ctrl-C, `kill`, and a terminal that is closed. */
export const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** Runs work that these signals abort. They do not end the process, which may have to stop PostgreSQL. */
export async function interruptibly<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const interruption = new AbortController();
  const interrupt = () => interruption.abort();
  for (const signal of SIGNALS) process.on(signal, interrupt);
  try {
    return await work(interruption.signal);
  } finally {
    for (const signal of SIGNALS) process.off(signal, interrupt);
  }
}
