import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { freePort } from './replicated-postgres.ts';

/** Set to test another PgBouncer than the one installed. */
const COMMAND = process.env['PGBOUNCER'] ?? 'pgbouncer';

const running: { child: ChildProcess; folder: string }[] = [];

/** Ends the file's PgBouncers after its last test; to be called once, outside of any test. */
export function endPgbouncersWithFile(): void {
  afterAll(async () => {
    for (const { child, folder } of running.splice(0)) {
      const end = once(child, 'close');
      if (child.kill('SIGKILL')) await end;
      await rm(folder, { recursive: true });
    }
  });
}

/** The version of the PgBouncer on this machine, such as 1.25; undefined when there is none. */
export function pgbouncerVersion(): number | undefined {
  try {
    const told = execFileSync(COMMAND, ['--version'], { encoding: 'utf8', stdio: 'pipe' });
    const [, major, minor] = /PgBouncer (\d+)\.(\d+)/.exec(told) ?? [];
    return Number(major) + Number(minor) / 100;
  } catch {
    return undefined;
  }
}

/**
 * Starts a PgBouncer before a database, with its defaults except for `settings`.
 * @returns the address that leads through it
 */
export async function startPgbouncer(url: string, settings: Record<string, string>): Promise<string> {
  for (let attempts = 3; ; attempts--) {
    try {
      return await startOn(await freePort(), url, settings);
    } catch (error) {
      // Another process may have taken the port meanwhile.
      if (attempts === 1) throw error;
    }
  }
}

async function startOn(port: number, url: string, settings: Record<string, string>): Promise<string> {
  const target = new URL(url);
  const name = target.pathname.slice(1);
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-pgbouncer-'));
  await chmod(folder, 0o755);
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: String(port),
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  };
  const login = `user=${target.username} password='${decodeURIComponent(target.password)}'`;
  const lines = [
    '[databases]',
    `${name} = host=${target.hostname} port=${target.port} dbname=${name} ${login}`,
    '[pgbouncer]',
    ...Object.entries(all).map(([key, value]) => `${key} = ${value}`),
  ];
  const file = join(folder, 'pgbouncer.ini');
  await writeFile(file, lines.join('\n'));
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};
  const child = spawn(COMMAND, [file], { ...account, stdio: ['ignore', 'ignore', 'pipe'] });
  running.push({ child, folder });
  let heard = '';
  await new Promise<void>((resolve, reject) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      heard += text;
      if (heard.includes('process up')) resolve();
    });
    child.once('error', reject);
    child.once('close', () => reject(new Error(`PgBouncer ended: ${heard}`)));
  });
  return `postgres://kundebok@127.0.0.1:${port}/${name}`;
}
