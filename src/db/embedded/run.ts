import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { reasonOf } from '../unavailable.ts';

/** The unprivileged system user that PostgreSQL runs as when the service itself is root. */
export type Account = { uid: number; gid: number };

type RunOptions = { account?: Account | undefined; input?: string };

/**
 * How every program of PostgreSQL is run: without the service's environment (keys, passwords), with
 * English messages, and in its own session, so that Ctrl-C does not reach it.
 */
export function spawnOptions(account: Account | undefined, variables: Record<string, string> = {}) {
  const env = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin', ...variables };
  return { ...account, cwd: '/', detached: true, env };
}

/** Runs a short-lived program to its end. Never throws; `complaint` says what went wrong unless `ok`. */
export async function run(command: string, args: string[], { account, input = '' }: RunOptions = {}) {
  try {
    const child = spawn(command, args, spawnOptions(account));
    child.on('error', () => {});
    // A program may end without reading its input; its exit status tells whether it failed.
    child.stdin.on('error', () => {}).end(input);
    const output = Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
    const [[code, signal], stdout, stderr] = await output;
    return { ok: code === 0, stdout, complaint: stderr.trim() || `ended with ${signal ?? `status ${code}`}` };
  } catch (error) {
    return { ok: false, stdout: '', complaint: reasonOf(error) };
  }
}
