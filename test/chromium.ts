import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

// The shell without windows opens a page with a third of the processor time.
const NAMES = [
  'chromium-headless-shell',
  'chromium',
  'chromium-browser',
  'google-chrome',
  'google-chrome-stable',
];

/** The system's Chromium; undefined where there is none. */
export const CHROMIUM = process.env['CHROMIUM_PATH'] ?? findProgram(NAMES);

function findProgram(names: readonly string[]): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  return names
    .flatMap((name) => folders.map((folder) => join(folder, name)))
    .find((path) => existsSync(path));
}
