import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readRecord } from '../../national/answer.ts';
import type { Unit } from '../../register.ts';

/** What one stretch of the file held. */
export type BulkBatch = {
  units: Unit[];
  /** Records of units that are dissolved or taken out of the register. */
  gone: number;
  unreadable: number;
  /** What is wrong with one of them. */
  why: string | undefined;
};

/** The file is not a whole file of the register; what was read of it may not be used. */
export class BulkFileFault extends Error {
  override readonly name = 'BulkFileFault';
}

/** Bytes unpacked at a time: large enough that threads seldom wait for each other, small enough to hold several. */
const CHUNK = 256 * 1024;
/** So that unpacking goes on beside parsing. */
const UNPACKED_AHEAD = 4 * CHUNK;

/** No record is near this; without a limit a file that never closes one would be held whole. */
const MAX_RECORD = 1024 * 1024;

/** A byte order mark in UTF-8. */
const MARK = Buffer.from('\ufeff');

/** What gzip begins with. */
const GZIP = Buffer.from([0x1f, 0x8b]);

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const BACKSLASH = 0x5c;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const SPACES = new Set([0x09, 0x0a, 0x0d, 0x20]);

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Reads a whole-register file as it comes: a JSON array of records, gzipped or not, in any layout. What is held
 * at a time is a stretch of it, never the file. All of it has been checked only when the last batch was given.
 * @throws {BulkFileFault} when it is cut off, damaged or no such file
 */
export async function* readBulkFile(source: AsyncIterable<Uint8Array>): AsyncGenerator<BulkBatch> {
  const reader = new ArrayReader();
  for await (const chunk of withoutMark(unpack(source))) yield reader.read(chunk);
  reader.end();
}

/** Splits the array into records wherever its bytes are cut, and reads each as a look-up's answer is read. */
class ArrayReader {
  /** What came before of the record under way, its first byte on. */
  #rest: Buffer = Buffer.alloc(0);
  /** Bytes before those. */
  #before = 0;
  #expects: 'array' | 'first record' | 'record' | 'comma' | 'end' = 'array';

  read(chunk: Buffer): BulkBatch {
    const bytes = this.#rest.length > 0 ? Buffer.concat([this.#rest, chunk]) : chunk;
    const batch: BulkBatch = { units: [], gone: 0, unreadable: 0, why: undefined };
    let at = 0;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at]!;
      if (SPACES.has(byte)) continue;
      if (byte !== OPEN_OBJECT) {
        this.#mark(byte, at);
        continue;
      }
      if (this.#expects !== 'record' && this.#expects !== 'first record') throw this.#fault(at);
      const end = endOfObject(bytes, at);
      if (end === -1) break;
      this.#record(bytes.subarray(at, end), at, batch);
      this.#expects = 'comma';
      at = end - 1;
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    this.#before += at;
    if (this.#rest.length > MAX_RECORD) {
      throw new BulkFileFault(`has a record of more than a mebibyte, from byte ${this.#before} on`);
    }
    return batch;
  }

  /** The source has ended. */
  end(): void {
    if (this.#expects === 'end') return;
    if (this.#expects === 'array') throw new BulkFileFault('is empty');
    throw new BulkFileFault(
      `is cut off: it ends at byte ${this.#before + this.#rest.length} without its final ]`,
    );
  }

  #record(bytes: Buffer, at: number, batch: BulkBatch): void {
    const reading = readRecord(this.#parse(bytes, at));
    if (reading.outcome === 'found') batch.units.push(reading.unit);
    else if (reading.outcome === 'unreadable') {
      batch.unreadable += 1;
      batch.why ??= reading.why;
    } else batch.gone += 1;
  }

  #parse(bytes: Buffer, at: number): unknown {
    let text: string;
    try {
      text = utf8.decode(bytes);
    } catch {
      // Of one record only: it counts as unreadable.
      return undefined;
    }
    try {
      return JSON.parse(text) as unknown;
    } catch (cause) {
      throw this.#fault(at, cause);
    }
  }

  /** The array's own punctuation. */
  #mark(byte: number, at: number): void {
    if (byte === OPEN_ARRAY && this.#expects === 'array') this.#expects = 'first record';
    else if (byte === COMMA && this.#expects === 'comma') this.#expects = 'record';
    else if (byte === CLOSE_ARRAY && (this.#expects === 'comma' || this.#expects === 'first record')) {
      this.#expects = 'end';
    } else throw this.#fault(at);
  }

  #fault(at: number, cause?: unknown): BulkFileFault {
    if (this.#expects === 'array') {
      return new BulkFileFault('is not a file of the register: it is not a JSON array');
    }
    const place = this.#before + at;
    return new BulkFileFault(`is damaged: what stands at byte ${place} is no array of records`, { cause });
  }
}

/** The offset behind the object that begins at `start`, -1 where its end has not come yet. */
function endOfObject(bytes: Buffer, start: number): number {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfString(bytes, at);
      if (at === -1) return -1;
    } else if (byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_OBJECT) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** Where the quote stands that ends the string which begins at `start`, or -1. */
function endOfString(bytes: Buffer, start: number): number {
  for (let at = start + 1; at < bytes.length; at += 1) {
    if (bytes[at] === QUOTE) return at;
    if (bytes[at] === BACKSLASH) at += 1;
  }
  return -1;
}

/** Leaves out a byte order mark, which some tools write before the text. */
async function* withoutMark(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let isFirst = true;
  for await (const chunk of withHead(text, MARK.length)) {
    yield isFirst && chunk.indexOf(MARK) === 0 ? chunk.subarray(MARK.length) : chunk;
    isFirst = false;
  }
}

/** The bytes as they are, or unpacked where they are gzip. */
async function* unpack(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const chunks = withHead(source, GZIP.length);
  const { value: first } = await chunks.next();
  if (!first) return;
  const whole = startingWith(first, chunks);
  yield* first.indexOf(GZIP) === 0 ? gunzip(whole) : whole;
}

/** The same bytes, so cut that the first chunk has `size` of them if there are so many. */
async function* withHead(source: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Buffer> {
  let head = Buffer.alloc(0);
  for await (const chunk of source) {
    const { buffer, byteOffset, byteLength } = chunk;
    const bytes = Buffer.from(buffer, byteOffset, byteLength);
    if (head.length >= size) yield bytes;
    else {
      head = Buffer.concat([head, bytes]);
      if (head.length >= size) yield head;
    }
  }
  if (head.length > 0 && head.length < size) yield head;
}

async function* startingWith(first: Buffer, rest: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  try {
    yield first;
    yield* rest;
  } finally {
    await rest.return(undefined);
  }
}

async function* gunzip(packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: CHUNK, readableHighWaterMark: UNPACKED_AHEAD } as object);
  // The callback is told what the loop below is told; without one, a fault would be nobody's.
  const unpacked: Readable = pipeline(packed, stream, () => undefined);
  try {
    for await (const chunk of unpacked) yield chunk as Buffer;
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'Z_BUF_ERROR')
      throw new BulkFileFault('is cut off: it ends inside the gzip', { cause: error });
    if (typeof code === 'string' && code.startsWith('Z_')) {
      throw new BulkFileFault('is damaged: its gzip cannot be unpacked', { cause: error });
    }
    throw error;
  }
}
