import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { ROOT } from './service.ts';

type Manifest = { dependencies: Record<string, string>; devDependencies: Record<string, string> };
type Lock = { packages: Record<string, { integrity?: string }> };

async function readJson<T>(name: string): Promise<T> {
  return JSON.parse(await readFile(ROOT + name, 'utf8'));
}

test('examples/schema.d.ts is made from the current openapi.json: npm run openapi:examples', async () => {
  const [schema, description] = await Promise.all(
    ['examples/schema.d.ts', 'openapi.json'].map((name) => readFile(ROOT + name, 'utf8')),
  );
  const digest = createHash('sha256').update(description!).digest('hex');
  expect(schema!.endsWith(`\n// openapi.json ${digest}\n`)).toBe(true);
});

test('each program is short enough to be copied', async () => {
  const names = (await readdir(`${ROOT}examples`)).filter(
    (name) => name.endsWith('.ts') && name !== 'schema.d.ts',
  );
  const lines = await Promise.all(
    names.map(async (name) => (await readFile(`${ROOT}examples/${name}`, 'utf8')).split('\n').length - 1),
  );
  expect(names).toEqual(
    expect.arrayContaining(['accounting-copy.ts', 'crm.ts', 'lead-form.ts', 'shop-order.ts']),
  );
  expect(Math.max(...lines)).toBeLessThan(150);
});

test('the examples are tested with the versions that they install, each with an integrity hash', async () => {
  const [project, examples] = await Promise.all(
    ['package.json', 'examples/package.json'].map((name) => readJson<Manifest>(name)),
  );
  for (const [name, version] of Object.entries(examples!.dependencies)) {
    expect(project!.devDependencies).toMatchObject({ [name]: version });
  }
  const { packages } = await readJson<Lock>('examples/package-lock.json');
  const open = Object.entries(packages).filter(
    ([path, { integrity }]) => path !== '' && !integrity?.startsWith('sha512-'),
  );
  expect(open).toEqual([]);
});
