import { execFile } from 'node:child_process';
import { globSync, statSync } from 'node:fs';
import { promisify } from 'node:util';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Builds the pages before the tests if one of their sources is newer: services read them when they start. */
export async function setup(): Promise<void> {
  const built = writtenAt('web/dist/index.html');
  const sources = globSync(['web/**/*.{ts,tsx,js,css,html,svg}', 'docs/*.md'], { cwd: ROOT });
  if (sources.every((path) => path.startsWith('web/dist/') || writtenAt(path) < built)) return;
  await promisify(execFile)(process.execPath, [`${ROOT}bin/build-web.js`], { cwd: ROOT });
}

/** 0 for a file that does not exist. */
function writtenAt(path: string): number {
  return statSync(ROOT + path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}
