import { spawnSync } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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

describe('files for operators, each checked by the program that reads it', () => {
  const hadolint = findProgram('Dockerfile', '--version', ['hadolint']);
  test.skipIf(!hadolint)('Dockerfile, by hadolint', () => {
    expect(complaintOf(hadolint!, ['--failure-threshold', 'style', 'Dockerfile'])).toBe('');
  });

  const compose = findProgram('compose.yaml', 'version', ['docker', 'compose'], ['docker-compose']);
  test.skipIf(!compose)('compose.yaml, by docker compose', () => {
    const settings = { POSTGRES_PASSWORD: 'x', REGISTER_CONTACT: 'kari@example.no' };
    expect(complaintOf(compose!, ['-f', 'compose.yaml', 'config'], settings)).toBe('');
    expect(complaintOf(compose!, ['-f', 'compose.yaml', 'config'])).toContain('set it in .env');
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
