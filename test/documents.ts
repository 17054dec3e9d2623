import { readdir, readFile } from 'node:fs/promises';
import { ROOT } from './service.ts';

/** A fenced block of a document. */
type Block = {
  /** What follows the opening fence: `sh`, `json`, `sh norun: it installs`. */
  info: string;
  text: string;
  /** Line of the opening fence, from 1. */
  line: number;
  /** Whether nothing but blank lines is between the block before and this one. */
  follows: boolean;
};

/** A script that a document shows, with what the document says it prints. */
export type Example = {
  /** `docs/guide.md:17`, for messages. */
  place: string;
  script: string;
  answer: Block | undefined;
};

export type Document = { path: string; text: string; blocks: Block[] };

/** The project's documents with paths from its root. */
export async function readDocuments(): Promise<Document[]> {
  const inDocs = (await readdir(`${ROOT}docs`, { recursive: true })).map((name) => `docs/${name}`);
  const paths = [...(await readdir(ROOT)), ...inDocs].toSorted();
  return Promise.all(paths.filter((path) => path.endsWith('.md')).map(readDocument));
}

export async function readDocument(path: string): Promise<Document> {
  const text = await readFile(ROOT + path, 'utf8');
  return { path, text, blocks: blocksOf(text) };
}

/** The scripts of a document that are to be run, in order. */
export function examplesOf({ path, blocks }: Document): Example[] {
  return blocks.flatMap((block, index) => {
    if (block.info !== 'sh') return [];
    const next = blocks[index + 1];
    const answer = next?.follows && isAnswer(next) ? next : undefined;
    return [{ place: `${path}:${block.line}`, script: block.text, answer }];
  });
}

/** Whether a block shows what the script before it prints. */
export function isAnswer({ info }: Block): boolean {
  return ['json', 'http', 'text'].includes(info);
}

/** The cells of the table after a heading, row by row, with their backticks. */
export function tableUnder({ text, path }: Document, heading: string): string[][] {
  const [, after] = text.split(new RegExp(`^#+ ${heading}$`, 'm'));
  if (after === undefined) throw new Error(`${path} has no heading ${heading}`);
  const [table] = /(?:^\|.*\n)+/m.exec(after) ?? [];
  if (table === undefined) throw new Error(`${path} has no table under ${heading}`);
  return table
    .trimEnd()
    .split('\n')
    .slice(2)
    .map((row) =>
      row
        .slice(1, -1)
        .split('|')
        .map((cell) => cell.trim()),
    );
}

/** The texts between backticks in a cell. */
export function codesIn(cell: string | undefined): string[] {
  return [...(cell ?? '').matchAll(/`([^`]*)`/g)].map(([, code]) => code!);
}

function blocksOf(text: string): Block[] {
  const lines = text.split('\n');
  const blocks: Block[] = [];
  let end = -1;
  for (let at = 0; at < lines.length; at++) {
    const info = /^```(.*)$/.exec(lines[at]!)?.[1];
    if (info === undefined) continue;
    const close = lines.indexOf('```', at + 1);
    if (close === -1) throw new Error(`the block in line ${at + 1} does not end`);
    const follows = end !== -1 && lines.slice(end + 1, at).every((line) => line.trim() === '');
    blocks.push({ info, text: lines.slice(at + 1, close).join('\n'), line: at + 1, follows });
    end = close;
    at = close;
  }
  return blocks;
}
