import { mkdir, writeFile } from 'node:fs/promises';
import { Session } from 'node:inspector/promises';
import { dirname } from 'node:path';
import { memoryUsage } from 'node:process';

/**
 * Loaded before a measured program with `node --import`: answers over the IPC channel what the program has
 * used, so that the program itself has no code for the bench.
 */
export type Usage = {
  /** User and system time of all threads since the start, in microseconds. */
  cpu: number;
  /** Bytes. */
  rss: number;
};

export type Question = { ask: 'usage' } | { ask: 'profile' } | { ask: 'save profile'; file: string };

/** Microseconds. */
const SAMPLING_INTERVAL = 200;

let profiler: Session | undefined;

async function answer(question: Question): Promise<Usage | object> {
  if (question.ask === 'usage') {
    const { user, system } = process.cpuUsage();
    return { cpu: user + system, rss: memoryUsage.rss() } satisfies Usage;
  }
  if (question.ask === 'profile') await startProfile();
  else await saveProfile(question.file);
  return {};
}

async function startProfile(): Promise<void> {
  profiler = new Session();
  profiler.connect();
  await profiler.post('Profiler.enable');
  await profiler.post('Profiler.setSamplingInterval', { interval: SAMPLING_INTERVAL });
  await profiler.post('Profiler.start');
}

async function saveProfile(file: string): Promise<void> {
  const { profile } = await profiler!.post('Profiler.stop');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(profile));
  profiler!.disconnect();
}

process.on('message', (question: Question) => {
  void answer(question).then((reply) => process.send?.(reply));
});
// The channel alone must not keep the program running.
process.channel?.unref();
