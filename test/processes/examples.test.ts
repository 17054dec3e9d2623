import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from 'vitest';
import { examplesOf, isAnswer, readDocuments, type Document, type Example } from '../documents.ts';
import { endWithFile, environmentOf, ownDatabase, ROOT, startService, type Service } from '../service.ts';
import { Shown } from './shown.ts';

const documents = await readDocuments();
const withExamples = documents.filter((document) => examplesOf(document).length > 0);

/** Where the documents say that the service is. */
const ORIGIN = 'http://127.0.0.1:3000';
const KEY = /^KEY=(kb_\w+)$/m;
const run = promisify(execFile);

endWithFile();

describe.concurrent.each(withExamples)('$path', (document) => {
  test('shows what its examples print', async ({ signal }) => {
    const databaseUrl = await ownDatabase();
    const service = await startService({ DATABASE_URL: databaseUrl });
    try {
      expect(await faultsOf(document, service, { databaseUrl, signal })).toEqual([]);
    } finally {
      await service.stop();
    }
  });
});

describe.each(documents)('$path', (document) => {
  test('has its blocks run, compared with what a run prints, or says why not', () => {
    const faults = document.blocks.filter((block, index) => {
      const answers = block.follows && document.blocks[index - 1]?.info.startsWith('sh');
      return !(isAnswer(block) ? answers : /^(sh|\w+ norun: \w.+)$/.test(block.info));
    });
    expect(faults.map(({ line, info }) => `${document.path}:${line} ${info}`)).toEqual([]);
    const fences = document.text.match(/^\s*(?:```|~~~)/gm) ?? [];
    expect(fences).toHaveLength(2 * document.blocks.length);
  });

  test('sets the address and the key before it uses them', () => {
    const scripts = examplesOf(document)
      .map(({ script }) => script)
      .join('\n');
    for (const name of ['API', 'KEY']) {
      const [used, set] = [scripts.search(`[$]${name}\\b`), scripts.search(`\\b${name}=`)];
      expect(used === -1 || (set !== -1 && set < used)).toBe(true);
    }
  });

  test('has links that lead somewhere', async () => {
    const astray: string[] = [];
    for (const [, target = ''] of withoutBlocks(document).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^https?:/.test(target)) continue;
      const [path = '', anchor] = target.split('#');
      const file = path === '' ? document.path : join(dirname(document.path), path);
      const there = await access(join(ROOT, file)).then(
        () => true,
        () => false,
      );
      if (!there || (anchor !== undefined && !anchorsOf(file).includes(anchor))) astray.push(target);
    }
    expect(astray).toEqual([]);
  });
});

/** Runs the examples of a document in order. @returns what was not as shown */
async function faultsOf(
  document: Document,
  service: Service,
  { databaseUrl, signal }: { databaseUrl: string; signal: AbortSignal },
): Promise<string[]> {
  const shown = new Shown();
  shown.mean(ORIGIN, service.origin);
  const [, key] = KEY.exec(document.text) ?? [];
  if (key) shown.mean(key, service.key!);
  const environment = { DATABASE_URL: databaseUrl, API: service.address, KEY: service.key! };
  const faults: string[] = [];
  for (const example of examplesOf(document)) {
    const fault = await follow(example, shown, { environment, signal }).catch((error: Error) => error);
    if (fault) faults.push(`${example.place}\n${example.script}\n${fault.message}`);
  }
  return faults;
}

/** Runs one example; the signal ends an example that hangs when the test ends. */
async function follow(
  example: Example,
  shown: Shown,
  { environment, signal }: { environment: Record<string, string>; signal: AbortSignal },
): Promise<void> {
  const { stdout } = await run('sh', ['-euc', shown.translate(example.script)], {
    cwd: ROOT,
    env: environmentOf(environment),
    signal,
  });
  if (example.answer) shown.compare(example.answer.info, example.answer.text, stdout);
}

function withoutBlocks({ text }: Document): string {
  return text.replaceAll(/^```[^]*?^```$/gm, '');
}

/** Anchors as GitHub makes them of headings. */
function anchorsOf(path: string): string[] {
  const document = documents.find((candidate) => candidate.path === path);
  if (!document) return [];
  return [...withoutBlocks(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}
