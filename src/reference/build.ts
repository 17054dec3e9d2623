import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { createAsset, IMMUTABLE, REVALIDATE } from '../http/assets.ts';
import { renderGuide, renderReference } from './pages.ts';
import type { ReferenceFiles } from './routes.ts';

const DOCS = new URL('../../docs/', import.meta.url);
const STATIC = new URL('static/', import.meta.url);

/** Builds the files of the reference page and the guides. */
async function buildFiles(): Promise<ReferenceFiles> {
  const files: ReferenceFiles = {};
  const add = async (path: string, type: string, content: string | Buffer, cacheControl = REVALIDATE) => {
    files[path] = await createAsset({ type, bytes: Buffer.from(content), cacheControl });
  };
  const addPage = (path: string, html: string) => add(path, 'text/html; charset=utf-8', html);

  const script = await readScalarScript();
  const version = createHash('sha256').update(script).digest('hex').slice(0, 12);
  await addPage('', renderReference(version));
  await add('js/scalar.js', 'text/javascript; charset=utf-8', script, IMMUTABLE);
  for (const name of ['start.js', 'address.js']) {
    await add(`js/${name}`, 'text/javascript; charset=utf-8', await readStatic(name));
  }
  await add('styles.css', 'text/css; charset=utf-8', await readStatic('styles.css'));
  await add('icon.svg', 'image/svg+xml', await readStatic('icon.svg'));
  const guides = (await readdir(DOCS)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const names = guides.map((name) => name.slice(0, -'.md'.length));
  for (const name of names) {
    const markdown = await readFile(new URL(`${name}.md`, DOCS), 'utf8');
    await addPage(name, renderGuide(markdown, name, names));
  }
  return files;
}

function readStatic(name: string): Promise<Buffer> {
  return readFile(new URL(name, STATIC));
}

/** The package keeps its script inside its code and gives it out only through a route. */
async function readScalarScript(): Promise<Buffer> {
  const pages = fastify();
  await pages.register(scalar, { routePrefix: '/docs', configuration: { url: '/' } });
  const { statusCode, rawPayload } = await pages.inject('/docs/js/scalar.js');
  await pages.close();
  if (statusCode !== 200) throw new Error(`Scalar's package answers ${statusCode} for its script`);
  return rawPayload;
}

if (!process.send) throw new Error('build.ts runs as a child process of the service');
process.send(await buildFiles(), () => process.disconnect?.());
