import { globSync, readFileSync } from 'node:fs';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { createAsset, IMMUTABLE, REVALIDATE, type Asset } from '../http/assets.ts';

const BUILD = fileURLToPath(new URL('../../web/dist/', import.meta.url));

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

export const NOT_BUILT =
  'The pages are not built: run npm ci without --omit=dev, or copy web/dist from a build; then start again';

export type Pages = {
  /** index.html, which names the register, with `NONCE` where the nonce of an answer goes. */
  page: string;
  /** Files by their path from the root; compressed when first asked for. */
  files: Map<string, () => Promise<Asset>>;
};

/** What Vite built, as it is when the service starts; undefined when it has not built. */
export function readPages(register: Config['register']): Pages | undefined {
  const paths = globSync('**/*.{js,css,svg}', { cwd: BUILD });
  try {
    const page = readFileSync(`${BUILD}index.html`, 'utf8').replace('REGISTER', register);
    return { page, files: new Map(paths.map((path) => [`/${path}`, readLazily(path)])) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

function readLazily(path: string): () => Promise<Asset> {
  const bytes = readFileSync(BUILD + path);
  let asset: Promise<Asset> | undefined;
  return () =>
    (asset ??= createAsset({
      type: TYPES[extname(path)]!,
      bytes,
      // Vite puts a hash into the names of what it makes there.
      cacheControl: path.startsWith('assets/') ? IMMUTABLE : REVALIDATE,
    }));
}
