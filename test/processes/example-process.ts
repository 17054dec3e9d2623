import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { ROOT } from '../service.ts';

/** Starts one of the programs in examples/ as a process of its own, as its first lines say. */
export function startExample(
  args: readonly string[],
  settings: Record<string, string>,
): ChildProcess & { ended: Promise<{ code: number | null; stderr: string }> } {
  const { PATH = '' } = process.env;
  const child = spawn(process.execPath, args, { cwd: `${ROOT}examples`, env: { PATH, ...settings } });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
  return Object.assign(child, { ended });
}
