import { execFileSync } from 'node:child_process';

/** Runs one of PostgreSQL's programs. They refuse to run as root, for whom this runs them as the user `postgres`. */
export function runAsPostgres(program: string, args: readonly string[]): void {
  // Folders that the PATH of root, or of a service, may lack.
  const env = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` };
  const all =
    process.getuid?.() === 0 ? ['runuser', '-u', 'postgres', '--', program, ...args] : [program, ...args];
  execFileSync(all[0]!, all.slice(1), { stdio: ['ignore', 'ignore', 'inherit'], env });
}
