import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { createZstdCompress, createZstdDecompress } from 'node:zlib';
import { z } from 'zod';
import { CommandError } from '../cli/output.ts';
import { frame, FrameReader } from './frames.ts';

/*
 * A backup file: a header, which is one line of JSON; the tables, compressed with zstd; and 64 digits, the SHA-256 of
 * everything before them. A table is a frame that names it, frames of rows as COPY writes them, and an empty frame. The last
 * frame is the manifest.
 */

const FORMAT = 'kundebok backup';
const VERSION = 1;

const migration = z.object({ version: z.int(), name: z.string(), checksum: z.string().nullish() });

const header = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  /** The moment whose data the file holds. */
  made_at: z.string(),
  /** The release of the service that made it. */
  release: z.string(),
  postgres: z.string(),
  migrations: z.array(migration).min(1),
});

const table = z.object({ table: z.string(), columns: z.array(z.string()) });

const manifest = z.object({
  tables: z.array(z.object({ table: z.string(), rows: z.int(), sha256: z.string() })),
  /** The last number that each identity column has issued. */
  sequences: z.array(z.object({ table: z.string(), column: z.string(), last: z.int() })),
});

export type Header = z.output<typeof header>;
export type TableHead = z.output<typeof table>;
export type Manifest = z.output<typeof manifest>;

/** The content of one table in a file. */
export type TableContent = TableHead & { rows: AsyncIterable<Buffer> };

const DIGEST_LENGTH = 64;
const MAX_HEADER_LENGTH = 1024 ** 2;

/** @param tables yields each table and returns the manifest */
export async function writeBackup(
  file: FileHandle,
  head: Omit<Header, 'format' | 'version'>,
  tables: () => AsyncGenerator<TableContent, Manifest>,
  signal: AbortSignal,
): Promise<void> {
  const hash = createHash('sha256');
  const first = Buffer.from(`${JSON.stringify({ format: FORMAT, version: VERSION, ...head })}\n`);
  hash.update(first);
  await file.writeFile(first);
  await pipeline(
    framesOf(tables()),
    // At the default level: a higher one saves little space for the time that it takes.
    createZstdCompress(),
    (chunks: AsyncIterable<Buffer>) => file.writeFile(withDigest(chunks, hash)),
    { signal },
  );
}

async function* framesOf(tables: AsyncGenerator<TableContent, Manifest>): AsyncGenerator<Buffer> {
  for (;;) {
    const next = await tables.next();
    if (next.done) {
      yield frame(JSON.stringify(next.value));
      return;
    }
    const { rows, ...head } = next.value;
    yield frame(JSON.stringify(head));
    for await (const chunk of rows) yield frame(chunk);
    yield frame('');
  }
}

async function* withDigest(chunks: AsyncIterable<Buffer>, hash: Hash): AsyncGenerator<Buffer> {
  for await (const chunk of chunks) {
    hash.update(chunk);
    yield chunk;
  }
  yield Buffer.from(hash.digest('hex'));
}

/** A backup file whose checksum was verified. */
export type BackupFile = { path: string; size: number; header: Header; contentAt: number };

/**
 * Reads a file once and compares it with its checksum.
 * @throws {CommandError} when it is not a backup, or is damaged or incomplete
 */
export async function openBackup(
  path: string,
  { signal, onRead = () => {} }: { signal: AbortSignal; onRead?: (bytes: number, size: number) => void },
): Promise<BackupFile> {
  const file = await readHeader(path);
  const hash = createHash('sha256');
  let [bytes, tail] = [0, Buffer.alloc(0)];
  for await (const chunk of createReadStream(path, { signal, highWaterMark: 1024 ** 2 })) {
    const read = Buffer.concat([tail, chunk as Buffer]);
    const kept = Math.max(0, read.length - DIGEST_LENGTH);
    hash.update(read.subarray(0, kept));
    tail = read.subarray(kept);
    onRead((bytes += (chunk as Buffer).length), file.size);
  }
  if (tail.toString('latin1') !== hash.digest('hex')) {
    throw new CommandError(
      `${path} is damaged or incomplete: its checksum does not match. Nothing was changed; use another backup file`,
    );
  }
  return file;
}

async function readHeader(path: string): Promise<BackupFile> {
  const { size, buffer } = await readBeginning(path).catch((cause: unknown) => {
    throw new CommandError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  });
  const end = buffer.indexOf('\n');
  const { data } = header.safeParse(parse(buffer.subarray(0, Math.max(end, 0))));
  if (!data) throw new CommandError(`${path} is not a backup of Kundebok, or its header is damaged`);
  if (data.version !== VERSION) {
    throw new CommandError(`${path} was made by a newer release (${data.release}): restore it with that one`);
  }
  return { path, size, header: data, contentAt: end + 1 };
}

async function readBeginning(path: string): Promise<{ size: number; buffer: Buffer }> {
  await using file = await open(path);
  const { size } = await file.stat();
  const buffer = Buffer.alloc(Math.min(size, MAX_HEADER_LENGTH));
  await file.read(buffer, 0, buffer.length, 0);
  return { size, buffer };
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/**
 * Passes each table of a file to `load`, which must read its rows.
 * @returns the manifest
 */
export async function readTables(
  { path, contentAt, size }: BackupFile,
  load: (content: TableContent) => Promise<void>,
  signal: AbortSignal,
): Promise<Manifest> {
  const compressed = createReadStream(path, { start: contentAt, end: size - DIGEST_LENGTH - 1, signal });
  const content = compressed.pipe(createZstdDecompress());
  compressed.on('error', (error) => content.destroy(error));
  const frames = new FrameReader(content);
  try {
    for (;;) {
      const json = parse(await frames.next());
      const last = manifest.safeParse(json);
      if (last.success) return last.data;
      await load({ ...table.parse(json), rows: frames.untilEmpty() });
    }
  } finally {
    compressed.destroy();
    content.destroy();
  }
}
