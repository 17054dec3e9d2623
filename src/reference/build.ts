import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import { ASK_AGAIN, createAsset, FOREVER } from '../http/assets.ts';
import { renderGuide, renderReference, START_SCRIPT, STYLES } from './pages.ts';
import type { ReferenceFiles } from './routes.ts';

const DOCS = new URL('../../docs/', import.meta.url);

/** Files of the page, made in a process of their own: Scalar's package keeps its script within its code. */
async function buildFiles(): Promise<ReferenceFiles> {
  const script = await scalarScript();
  const version = createHash('sha256').update(script).digest('hex').slice(0, 12);
  const guides = (await readdir(DOCS)).filter((name) => name.endsWith('.md') && name !== 'README.md');
  const sources = Object.fromEntries(
    await Promise.all(
      guides.map(async (name) => [name.slice(0, -3), await readFile(new URL(name, DOCS), 'utf8')] as const),
    ),
  );
  const names = Object.keys(sources);
  const html = (text: string) => asset('text/html; charset=utf-8', text, ASK_AGAIN);
  return Object.fromEntries(
    await Promise.all([
      entry('', html(renderReference(version))),
      entry('js/scalar.js', asset('text/javascript; charset=utf-8', script, FOREVER)),
      entry('js/start.js', asset('text/javascript; charset=utf-8', START_SCRIPT, ASK_AGAIN)),
      entry('styles.css', asset('text/css; charset=utf-8', STYLES, ASK_AGAIN)),
      entry(
        'icon.svg',
        asset('image/svg+xml', await readFile(new URL('icon.svg', import.meta.url)), ASK_AGAIN),
      ),
      ...names.map((name) => entry(name, html(renderGuide(sources[name]!, name, names)))),
    ]),
  );
}

async function entry<Value>(path: string, value: Promise<Value>): Promise<[string, Value]> {
  return [path, await value];
}

function asset(type: string, content: string | Buffer, cacheControl: string) {
  return createAsset({ type, bytes: Buffer.from(content), cacheControl });
}

async function scalarScript(): Promise<Buffer> {
  const pages = fastify();
  await pages.register(scalar, { routePrefix: '/docs', configuration: { url: '/' } });
  const { statusCode, rawPayload } = await pages.inject('/docs/js/scalar.js');
  await pages.close();
  if (statusCode !== 200) throw new Error(`Scalar's package answers ${statusCode} for its script`);
  return rawPayload;
}

if (!process.send) throw new Error('this is started by the service, which takes the files');
process.send(await buildFiles(), () => process.disconnect?.());
