import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ROOT } from '../service.ts';

const run = promisify(execFile);
const AUTHOR = ['-c', 'user.name=Kari', '-c', 'user.email=kari@example.no', '-c', 'init.defaultBranch=main'];
const environment = {
  // npm warns of settings that it does not know: of the npm that started the tests, and of this user.
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))),
  npm_config_userconfig: '/dev/null',
  npm_config_update_notifier: 'false',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Kari',
  GIT_AUTHOR_EMAIL: 'kari@example.no',
  GIT_COMMITTER_NAME: 'Kari',
  GIT_COMMITTER_EMAIL: 'kari@example.no',
};

let folder: string;
let origin: string;
let clone: string;

/** A clone with what the script reads and writes, whose checks only write down that they ran, and on what. */
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kundebok-release-'));
  [origin, clone] = [join(folder, 'origin'), join(folder, 'clone')];
  await mkdir(origin);
  for (const name of ['package.json', 'package-lock.json', 'CHANGELOG.md', '.gitignore'])
    await copyFile(ROOT + name, join(origin, name));
  await changePackage(origin, `node -p "require('./package.json').version" > "${folder}/checked"`);
  await git(origin, 'init', '--quiet');
  await git(origin, 'add', '.');
  await git(origin, 'commit', '--quiet', '--message', 'Begin');
  await git(folder, 'clone', '--quiet', origin, clone);
});

afterEach(() => rm(folder, { recursive: true }));

async function git(cwd: string, ...args: string[]): Promise<string> {
  const { stdout } = await run('git', [...AUTHOR, ...args], { cwd, env: environment });
  return stdout.trim();
}

async function changePackage(where: string, verify: string): Promise<void> {
  const content = JSON.parse(await readFile(join(where, 'package.json'), 'utf8'));
  content.version = '0.1.0';
  content.scripts = { verify };
  await writeFile(join(where, 'package.json'), JSON.stringify(content, null, 2));
}

async function release(version: string): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    const script = `${ROOT}scripts/release.ts`;
    return { code: 0, ...(await run(process.execPath, [script, version], { cwd: clone, env: environment })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

const refusal = async (version: string) => (await release(version)).stderr.trim();

const today = () => new Date().toISOString().slice(0, 10);

const inClone = (name: string) => readFile(join(clone, name), 'utf8');

test('a release has its version, its section of the changelog, a tag and a tarball, and is not pushed', async () => {
  const before = await git(origin, 'for-each-ref');
  const [, news] = (await inClone('CHANGELOG.md')).split('## Unreleased\n');
  const started = today();
  const { code, stdout, stderr } = await release('0.2.0');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain('git push origin HEAD v0.2.0');

  expect(await readFile(join(folder, 'checked'), 'utf8')).toBe('0.2.0\n');
  expect(JSON.parse(await inClone('package.json')).version).toBe('0.2.0');
  const lock = JSON.parse(await inClone('package-lock.json'));
  expect([lock.version, lock.packages[''].version]).toEqual(['0.2.0', '0.2.0']);
  const [, day, told] = /^## Unreleased\n\n## 0\.2\.0 - (\S+)\n([^]*)/m.exec(await inClone('CHANGELOG.md'))!;
  // The day may have ended meanwhile.
  expect([started, today()]).toContain(day);
  expect(told!.slice(0, 200)).toBe(news!.slice(0, 200));
  expect(await git(clone, 'log', '-1', '--format=%s')).toBe('Release 0.2.0');
  expect(await git(clone, 'rev-parse', 'v0.2.0^{commit}')).toBe(await git(clone, 'rev-parse', 'HEAD'));
  expect(await git(clone, 'tag', '--list', '--format=%(contents)', 'v0.2.0')).toContain('### Added\n\n- ');
  expect(await git(clone, 'status', '--porcelain')).toBe('');
  expect(await git(origin, 'for-each-ref')).toBe(before);

  const bom = JSON.parse(await inClone('dist/kundebok-0.2.0.cdx.json'));
  expect(bom).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version: '0.2.0' } } });
  const entries = Object.entries(lock.packages as Record<string, { version: string; dev?: true }>);
  const atRunTime = entries.filter(([path, { dev }]) => path !== '' && !dev);
  const listed = bom.components.map(({ purl }: { purl: string }) => decodeURIComponent(purl));
  expect(listed).toEqual(
    expect.arrayContaining(
      atRunTime.map(([path, { version }]) => `pkg:npm/${path.replace(/^.*node_modules\//, '')}@${version}`),
    ),
  );

  const tarball = join(clone, 'dist/kundebok-0.2.0.tar.gz');
  const { stdout: list } = await run('tar', ['-tzf', tarball]);
  expect(list.split('\n')).toContain('kundebok-0.2.0/package-lock.json');
  const digest = createHash('sha256')
    .update(await readFile(tarball))
    .digest('hex');
  expect(await inClone('dist/kundebok-0.2.0.tar.gz.sha256')).toBe(`${digest}  kundebok-0.2.0.tar.gz\n`);
});

test('when the checks fail, nothing has changed', async () => {
  await changePackage(clone, 'exit 1');
  await git(clone, 'commit', '--quiet', '--all', '--message', 'Break it');
  const before = await git(clone, 'for-each-ref');
  expect(await release('0.2.0')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('npm run verify failed'),
  });
  expect(await git(clone, 'for-each-ref')).toBe(before);
  expect(await git(clone, 'status', '--porcelain')).toBe('');
});

test('when somebody stops the checks, nothing has changed', async () => {
  // As Ctrl-C does: all that the terminal runs gets the signal.
  await changePackage(clone, 'kill -INT 0');
  await git(clone, 'commit', '--quiet', '--all', '--message', 'Wait');
  const script = [`${ROOT}scripts/release.ts`, '0.2.0'];
  const options = { cwd: clone, env: environment, detached: true, stdio: 'ignore' } as const;
  expect(await once(spawn(process.execPath, script, options), 'exit')).toEqual([1, null]);
  expect(await git(clone, 'status', '--porcelain')).toBe('');
});

test('a release without its tarball can be taken back with the command that it prints', async () => {
  const before = await git(clone, 'rev-parse', 'HEAD');
  await mkdir(join(clone, 'dist/kundebok-0.2.0.tar.gz'), { recursive: true });
  const { code, stdout, stderr } = await release('0.2.0');
  expect([code, stderr]).toEqual([1, expect.stringContaining('ERR_FS_EISDIR')]);
  expect(await git(clone, 'tag')).toBe('v0.2.0');
  const [, undo] = /^To undo it: (.*)$/m.exec(stdout)!;
  await run('sh', ['-c', undo!], { cwd: clone, env: environment });
  expect([await git(clone, 'rev-parse', 'HEAD'), await git(clone, 'tag')]).toEqual([before, '']);
});

test('a release whose tag cannot be made can be taken back, too', async () => {
  const before = await git(clone, 'rev-parse', 'HEAD');
  await git(clone, 'config', 'tag.gpgSign', 'true');
  await git(clone, 'config', 'gpg.program', 'false');
  const { code, stdout } = await release('0.2.0');
  expect([code, await git(clone, 'tag')]).toEqual([1, '']);
  const [, undo] = /^To undo it: (.*)$/m.exec(stdout)!;
  await run('sh', ['-c', undo!], { cwd: clone, env: environment });
  expect(await git(clone, 'rev-parse', 'HEAD')).toBe(before);
});

test('what is not fit to be released is refused in words', async () => {
  expect(await refusal('')).toContain('three numbers');
  expect(await refusal('v0.2.0')).toContain('three numbers');
  expect(await refusal('0.1.0')).toBe('0.1.0 does not come after 0.1.0, the version in package.json');
  await git(clone, 'tag', 'v0.2.0');
  expect(await refusal('0.2.0')).toBe('The tag v0.2.0 exists already');
  await appendFile(join(clone, 'CHANGELOG.md'), '\n');
  expect(await refusal('0.3.0')).toContain('not committed');
  await writeFile(
    join(clone, 'CHANGELOG.md'),
    '# Changelog\n\n## Unreleased\n\n## 0.1.0 - 2026-01-01\n\n- First\n',
  );
  await git(clone, 'commit', '--quiet', '--all', '--message', 'Nothing new');
  expect(await refusal('0.3.0')).toBe('CHANGELOG.md has nothing under "## Unreleased"');
});
