import { readFile } from 'node:fs/promises';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { ROOT } from '../service.ts';

type Chunk = { file: string; imports?: string[] };

const BUDGET = 150_000;

const chunks: Record<string, Chunk> = JSON.parse(await readFile(`${ROOT}web/dist/manifest.json`, 'utf8'));

test.each(['home', 'sign-in', 'welcome'])(
  'a first visit to %s loads at most 150 kB of script',
  async (name) => {
    const frame = name === 'home' ? ['frame/frame.tsx'] : [];
    const files = scriptsOf(['index.html', ...frame, `routes/${name}/page.tsx`]);
    const sizes = await Promise.all(
      [...files].map(async (file) => gzipSync(await readFile(`${ROOT}web/dist/${file}`), { level: 9 })),
    );
    expect(sizes.reduce((sum, { length }) => sum + length, 0)).toBeLessThan(BUDGET);
  },
);

/** The scripts of chunks, with all that they import from the start. */
function scriptsOf(names: readonly string[], found = new Set<string>()): Set<string> {
  for (const name of names) {
    const { file, imports = [] } = chunks[name]!;
    if (found.has(file)) continue;
    found.add(file);
    scriptsOf(imports, found);
  }
  return found;
}
