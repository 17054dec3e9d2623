import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { createAsset, IMMUTABLE, REVALIDATE, type Asset } from '../http/assets.ts';

const BUILD = fileURLToPath(new URL('../../web/dist/', import.meta.url));

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/**
 * Files whose addresses change with their content: Vite puts a hash into file names, and the page of the reference puts
 * a hash into the query of its script's address.
 */
const NAMED_BY_CONTENT = /^(?:assets\/|docs\/js\/scalar\.js$)/;

export const NOT_BUILT =
  'The pages are not built: run npm ci --include=dev and npm run build, or copy web/dist from a build; then start again';

type Files = Map<string, () => Promise<Asset>>;

export type Pages = {
  /** index.html, which names the register, with `NONCE` where the nonce of an answer goes. */
  page: string;
  /** Files by their path from the root; compressed when first asked for. */
  files: Files;
  /** Files by their path below /docs/; read when first asked for, since Scalar's script is large. */
  reference: Files;
};

/** What Vite built, as it is when the service starts; undefined when there is no build. */
export function readPages(register: Config['register']): Pages | undefined {
  const files: Files = new Map();
  const reference: Files = new Map();
  try {
    const page = readFileSync(`${BUILD}index.html`, 'utf8').replace('REGISTER', register);
    // Not globSync, which fails where the folder in which the service was started has been removed.
    const paths = readdirSync(BUILD, { recursive: true, encoding: 'utf8' });
    for (const path of paths.filter((name) => Object.hasOwn(TYPES, extname(name)))) {
      if (path.startsWith('docs/')) {
        const name = path.slice('docs/'.length).replace(/(?:^index)?\.html$/, '');
        reference.set(
          name,
          createLazily(path, () => readFile(BUILD + path)),
        );
      } else if (extname(path) !== '.html') {
        const bytes = readFileSync(BUILD + path);
        files.set(
          `/${path}`,
          createLazily(path, async () => bytes),
        );
      }
    }
    return { page, files, reference };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Creates the asset once; again only after a failure. */
function createLazily(path: string, read: () => Promise<Buffer>): () => Promise<Asset> {
  let asset: Promise<Asset> | undefined;
  const create = async () =>
    createAsset({
      type: TYPES[extname(path)]!,
      bytes: await read(),
      cacheControl: NAMED_BY_CONTENT.test(path) ? IMMUTABLE : REVALIDATE,
    });
  return () =>
    (asset ??= create().catch((error: unknown) => {
      asset = undefined;
      throw error;
    }));
}
