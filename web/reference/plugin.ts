import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import scalar from '@scalar/fastify-api-reference';
import { fastify } from 'fastify';
import type { Plugin } from 'vite';
import { renderGuide, renderReference } from './pages.ts';

const DOCS = new URL('../../docs/', import.meta.url);

/** Builds what the service shows below /docs, beside the files of `public/docs`: the reference and the guides. */
export function reference(): Plugin {
  return {
    name: 'reference',
    apply: 'build',
    async generateBundle() {
      const add = (fileName: string, source: string | Buffer) =>
        this.emitFile({ type: 'asset', fileName: `docs/${fileName}`, source });

      const script = await readScalarScript();
      add('js/scalar.js', script);
      add('index.html', renderReference(createHash('sha256').update(script).digest('hex').slice(0, 12)));
      const guides = (await readdir(DOCS)).filter((name) => name.endsWith('.md') && name !== 'README.md');
      const names = guides.map((name) => name.slice(0, -'.md'.length));
      for (const name of names) {
        add(`${name}.html`, renderGuide(await readFile(new URL(`${name}.md`, DOCS), 'utf8'), name, names));
      }
    },
  };
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
