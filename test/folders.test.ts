import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ROOT } from './service.ts';

/** Parts of src/ that import no feature: they import each other and nothing else of src/. */
const PLATFORM = new Set([
  'http/',
  'db/',
  'cli/',
  'config.ts',
  'log.ts',
  'repeat.ts',
  'repeated-warnings.ts',
  'tracing/',
]);

/** Features may import the register; the register imports the platform and no feature. */
const BELOW_FEATURES = new Map([['register/', PLATFORM]]);

/** Source files of the project by their path from its root. */
type Sources = Map<string, string>;

type Import = { from: string; to: string };

/** For each part of a folder: the parts that it depends on, each with an import that makes it so. */
type Parts = Map<string, Map<string, Import>>;

test('src/ keeps its folders apart', async () => {
  const sources = await readSources();
  const parts = new Set([...sources.keys()].map((path) => partOf(path, 'src/')));
  expect([...PLATFORM, ...BELOW_FEATURES.keys()].filter((name) => !parts.has(name))).toEqual([]);
  expect(faultsOf(sources).join('\n')).toBe('');
});

describe('found, also in folders that are on no list', () => {
  test('a cycle of folders, though no two files import each other', () => {
    expect(
      tree({
        'src/orders/add.ts': "import { find } from '../stock/find.ts';",
        'src/orders/schema.ts': '',
        'src/stock/find.ts': '',
        'src/stock/list.ts': "import type {\n  Unit,\n} from '../units/unit.ts';",
        'src/units/unit.ts': "export { Order } from '../orders/schema.ts';",
      }),
    ).toEqual([
      [
        'Import cycle in src/: orders/ → stock/ → units/ → orders/',
        '  src/orders/add.ts imports src/stock/find.ts',
        '  src/stock/list.ts imports src/units/unit.ts',
        '  src/units/unit.ts imports src/orders/schema.ts',
      ].join('\n'),
    ]);
  });

  test('a cycle between a folder and a file beside it', () => {
    const [fault] = tree({
      'src/units/open.ts': "const { a } = await import('./near/a.ts');",
      'src/units/near/a.ts': "type Open = import('../open.ts').Open;",
    });
    expect(fault).toMatch(/^Import cycle in src\/units\/: open\.ts → near\/ → open\.ts\n/);
  });

  test('a platform folder that knows a feature', () => {
    expect(
      tree({
        'src/db/rows.ts': "import type { Order } from '../orders/schema.ts';",
        'src/orders/schema.ts': '',
      }),
    ).toEqual(['db/ must not know orders/: src/db/rows.ts imports src/orders/schema.ts']);
  });

  test('a register that knows a feature', () => {
    expect(
      tree({ 'src/register/a/b.ts': "import '../../orders/schema.ts';", 'src/orders/schema.ts': '' }),
    ).toEqual(['register/ must not know orders/: src/register/a/b.ts imports src/orders/schema.ts']);
  });

  test("another feature's endpoints", () => {
    expect(
      tree({
        'src/api.ts': "import { orders } from './orders/endpoints.ts';",
        'src/orders/endpoints.ts': "import { lines } from './line-endpoints.ts';",
        'src/orders/line-endpoints.ts': '',
        'src/stock/find.ts': "import { lines } from '../orders/line-endpoints.ts';",
      }),
    ).toEqual(['Only src/api.ts takes endpoints: src/stock/find.ts imports src/orders/line-endpoints.ts']);
  });

  test('code of tests in src/', () => {
    expect(tree({ 'src/orders/add.ts': "import { until } from '../../test/until.ts';" })).toEqual([
      'src/ must not know test/until.ts: src/orders/add.ts imports it',
    ]);
  });

  test('code of src/ in the web application', () => {
    expect(
      tree({
        'src/orders/schema.ts': '',
        'web/routes/order.tsx': "import { order } from '../../src/orders/schema.ts';",
        'web/routes/orders.tsx':
          "import type { Order } from '../../src/orders/schema.ts';\nimport './o.css';",
      }),
    ).toEqual(['web/ imports types alone: web/routes/order.tsx imports src/orders/schema.ts']);
  });
});

function tree(files: Record<string, string>): string[] {
  return faultsOf(new Map(Object.entries(files)));
}

async function readSources(): Promise<Sources> {
  const paths = globSync(['src/**/*.ts', 'web/**/*.{ts,tsx}'], { cwd: ROOT });
  const own = paths.filter((path) => !/\.test\.tsx?$|node_modules/.test(path)).toSorted();
  return new Map(
    await Promise.all(own.map(async (path) => [path, await readFile(ROOT + path, 'utf8')] as const)),
  );
}

function faultsOf(sources: Sources): string[] {
  const all = [...sources].flatMap(([from, text]) => (from.startsWith('src/') ? importsIn(from, text) : []));
  const imports = all.filter(({ to }) => sources.has(to));
  const folders = new Set([...sources.keys()].flatMap(foldersAbove));
  return [
    ...[...folders].flatMap((folder) => cyclesIn(folder, partsOf(folder, imports))),
    ...imports.flatMap(faultOfImport),
    ...all.filter(isOutside).map(({ from, to }) => `src/ must not know ${to}: ${from} imports it`),
    ...[...sources].flatMap(([from, text]) => (from.startsWith('web/') ? faultsOfWeb(from, text) : [])),
  ];
}

/** Relative paths in quotes: static and dynamic imports, of types as well, and files that a worker loads. */
function importsIn(from: string, text: string): Import[] {
  return [...text.matchAll(/'(\.\.?\/[^'\n]+)'/g)].map(([, path]) => ({
    from,
    to: join(dirname(from), path!),
  }));
}

/** Code of tests and of the web application does not run in the service. */
function isOutside({ to }: Import): boolean {
  return !to.startsWith('src/') && /\.[jt]sx?$/.test(to);
}

/** All folders of src/ that a file is in: `src/`, `src/register/`, … */
function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return path.startsWith('src/') ? names.map((_, at) => `${names.slice(0, at + 1).join('/')}/`) : [];
}

/** The file or folder directly in `folder` that a path belongs to; undefined for one elsewhere. */
function partOf(path: string, folder: string): string | undefined {
  if (!path.startsWith(folder)) return undefined;
  const [name, ...below] = path.slice(folder.length).split('/');
  return below.length > 0 ? `${name}/` : name;
}

function partsOf(folder: string, imports: Import[]): Parts {
  const parts: Parts = new Map();
  for (const edge of imports) {
    const [from, to] = [partOf(edge.from, folder), partOf(edge.to, folder)];
    if (from === undefined || to === undefined || from === to) continue;
    const known = parts.get(from) ?? new Map<string, Import>();
    parts.set(from, known.set(to, known.get(to) ?? edge));
  }
  return parts;
}

/** Every shortest cycle, with an import for each of its steps. */
function cyclesIn(folder: string, parts: Parts): string[] {
  const cycles = new Map<string, string>();
  for (const [part, others] of parts) {
    for (const other of others.keys()) {
      const path = shortestPath(other, part, parts);
      if (!path) continue;
      const cycle = [part, ...path];
      const steps = path.map((next, at) => parts.get(cycle[at]!)!.get(next)!);
      const told = steps.map(({ from, to }) => `  ${from} imports ${to}`);
      const text = [`Import cycle in ${folder}: ${cycle.join(' → ')}`, ...told].join('\n');
      const members = path.toSorted().join();
      cycles.set(members, cycles.get(members) ?? text);
    }
  }
  return [...cycles.values()];
}

function shortestPath(start: string, end: string, parts: Parts): string[] | undefined {
  const paths = new Map([[start, [start]]]);
  for (const [part, path] of paths) {
    if (part === end) return path;
    for (const next of parts.get(part)?.keys() ?? []) {
      if (!paths.has(next)) paths.set(next, [...path, next]);
    }
  }
  return undefined;
}

function faultOfImport({ from, to }: Import): string[] {
  const [one, other] = [partOf(from, 'src/')!, partOf(to, 'src/')!];
  if (one === other) return [];
  const known = PLATFORM.has(one) ? PLATFORM : BELOW_FEATURES.get(one);
  if (known && !known.has(other)) return [`${one} must not know ${other}: ${from} imports ${to}`];
  if (to.endsWith('endpoints.ts') && from !== 'src/api.ts') {
    return [`Only src/api.ts takes endpoints: ${from} imports ${to}`];
  }
  return [];
}

function faultsOfWeb(from: string, text: string): string[] {
  const withoutTypes = text.replaceAll(/^(?:import|export) type [^;]*;/gm, '');
  return importsIn(from, withoutTypes)
    .filter(({ to }) => to.startsWith('src/'))
    .map(({ to }) => `web/ imports types alone: ${from} imports ${to}`);
}
