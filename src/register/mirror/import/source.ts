import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { ImportRefused } from './refused.ts';

/** Where a whole-register file comes from; opened when its turn comes. */
export type BulkSource = {
  /** As it stands in a sentence: the file's name, or the register's list. */
  title: string;
  /** What to do when the file turns out to be no good. */
  advice: string;
  /** @throws {ImportRefused} when there is no such file, or the register does not give it */
  open(signal: AbortSignal): Promise<OpenedSource>;
};

export type OpenedSource = {
  /** The moment whose register the file holds at least. */
  asOf: Date;
  /** Bytes as they come, packed; undefined where it is not told. */
  size: number | undefined;
  chunks: AsyncIterable<Uint8Array>;
};

/** Bytes read at a time. */
const READ = 256 * 1024;

/** A file on disk; its own time is the moment it speaks of. */
export function fileSource(path: string): BulkSource {
  return {
    title: path,
    advice: 'fetch the file again',
    async open() {
      const facts = await stat(path).catch((cause: Error) => {
        throw new ImportRefused(`${path} cannot be read (${codeOf(cause)}): check its name and rights`, {
          cause,
        });
      });
      if (!facts.isFile()) throw new ImportRefused(`${path} is not a file`);
      return {
        asOf: new Date(Math.min(facts.mtimeMs, Date.now())),
        size: facts.size,
        chunks: readChunks(path),
      };
    },
  };
}

async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: READ })) yield chunk as Uint8Array;
  } catch (cause) {
    throw new ImportRefused(`${path} cannot be read (${codeOf(cause)}): check its name and rights`, {
      cause,
    });
  }
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error);
}
