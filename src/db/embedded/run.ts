import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';

/** The unprivileged system user that PostgreSQL runs as when the service itself is root. */
export type Account = { uid: number; gid: number };

export type Outcome = {
  /** Exit status 0. */
  ok: boolean;
  stdout: string;
  /** What the program said on stderr, or why it could not be started. */
  complaint: string;
};

// Nothing of the service's environment (keys, passwords) goes to the programs, and their messages are English.
export const PROGRAM_ENVIRONMENT = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/bin:/usr/bin:/bin' };

/** Runs a short-lived program to its end, as `account` where given. Never throws. */
export function run(
  command: string,
  args: string[],
  options: { account?: Account | undefined; input?: string } = {},
): Promise<Outcome> {
  const { promise, resolve } = Promise.withResolvers<Outcome>();
  const child = spawnProgram(command, args, options.account);
  if (child instanceof Error) return Promise.resolve({ ok: false, stdout: '', complaint: child.message });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  child.on('error', (error) => resolve({ ok: false, stdout, complaint: error.message }));
  child.on('close', (code, signal) =>
    resolve({
      ok: code === 0,
      stdout,
      complaint: stderr.trim() || `ended with ${signal ?? `status ${code}`}`,
    }),
  );
  // A program that ends without reading its input is judged by its exit status.
  child.stdin.on('error', () => {});
  child.stdin.end(options.input ?? '');
  return promise;
}

/** Most failures to start come as an event, but one to change the user is thrown. */
function spawnProgram(
  command: string,
  args: string[],
  account: Account | undefined,
): ChildProcessWithoutNullStreams | Error {
  try {
    // In a session of its own, so that Ctrl-C does not tear it in two.
    return spawn(command, args, { ...account, cwd: '/', detached: true, env: PROGRAM_ENVIRONMENT });
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
