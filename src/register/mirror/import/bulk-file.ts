import { pipeline, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readBulkRecord, type BulkRecord } from './bulk-record.ts';
import { MORE, NotJson, RecordScan, skipSpace } from './bulk-scan.ts';

/** What one stretch of the file held. */
export type BulkBatch = {
  records: BulkRecord[];
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
const LARGEST_RECORD = 1024 * 1024;

/** A byte order mark in UTF-8. */
const MARK = Buffer.from('\ufeff');

const COMMA = 0x2c;
const OPEN_ARRAY = 0x5b;
const CLOSE_ARRAY = 0x5d;
const OPEN_OBJECT = 0x7b;

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

/** Splits the array into records wherever its bytes are cut. */
class ArrayReader {
  readonly #scan = new RecordScan();
  /** Holds what is looked at: the start of a record from the stretch before, then the new one. */
  #work: Buffer = Buffer.allocUnsafe(2 * CHUNK);
  #rest = 0;
  /** Bytes that came before those. */
  #before = 0;
  #expects: 'array' | 'first record' | 'record' | 'comma' | 'end' = 'array';

  read(chunk: Buffer): BulkBatch {
    const bytes = this.#append(chunk);
    const batch: BulkBatch = { records: [], gone: 0, unreadable: 0, why: undefined };
    let at = 0;
    try {
      for (;;) {
        at = skipSpace(bytes, at);
        if (at === bytes.length) break;
        const next = bytes[at] === OPEN_OBJECT ? this.#record(bytes, at, batch) : this.#mark(bytes, at);
        if (next === MORE) break;
        at = next;
      }
    } catch (error) {
      if (!(error instanceof NotJson)) throw error;
      throw this.#fault(error.at);
    }
    this.#work.copyWithin(0, at, bytes.length);
    this.#rest = bytes.length - at;
    this.#before += at;
    if (this.#rest > LARGEST_RECORD) {
      throw new BulkFileFault(`has a record of more than a mebibyte, from byte ${this.#before} on`);
    }
    return batch;
  }

  /** The source has ended. */
  end(): void {
    if (this.#expects === 'end') return;
    if (this.#expects === 'array' && this.#rest === 0) throw new BulkFileFault('is empty');
    throw new BulkFileFault(`is cut off: it ends at byte ${this.#before + this.#rest} without its final ]`);
  }

  #append(chunk: Buffer): Buffer {
    const size = this.#rest + chunk.length;
    if (size > this.#work.length) this.#work = Buffer.concat([this.#work.subarray(0, this.#rest)], 2 * size);
    this.#work.set(chunk, this.#rest);
    return this.#work.subarray(0, size);
  }

  #record(bytes: Buffer, at: number, batch: BulkBatch): number {
    if (this.#expects !== 'record' && this.#expects !== 'first record') throw new NotJson(at);
    const end = this.#scan.run(bytes, at);
    if (end === MORE) return MORE;
    this.#expects = 'comma';
    const reading = readBulkRecord(bytes, at, end, this.#scan);
    if (reading === 'gone') batch.gone += 1;
    else if ('unit' in reading) batch.records.push(reading);
    else {
      batch.unreadable += 1;
      batch.why ??= reading.unreadable;
    }
    return end;
  }

  /** The array's own punctuation. */
  #mark(bytes: Buffer, at: number): number {
    const byte = bytes[at];
    if (byte === OPEN_ARRAY && this.#expects === 'array') this.#expects = 'first record';
    else if (byte === COMMA && this.#expects === 'comma') this.#expects = 'record';
    else if (byte === CLOSE_ARRAY && (this.#expects === 'comma' || this.#expects === 'first record')) {
      this.#expects = 'end';
    } else throw new NotJson(at);
    return at + 1;
  }

  #fault(at: number): BulkFileFault {
    if (this.#expects === 'array')
      return new BulkFileFault('is no file of the register: it is no JSON array');
    return new BulkFileFault(`is damaged: what stands at byte ${this.#before + at} is no array of records`);
  }
}

/** Leaves out a byte order mark, which some tools write before the text. */
async function* withoutMark(text: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer | undefined = Buffer.alloc(0);
  for await (const chunk of text) {
    if (head === undefined) {
      yield chunk;
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.length < MARK.length) continue;
    yield head.subarray(head.indexOf(MARK) === 0 ? MARK.length : 0);
    head = undefined;
  }
  if (head !== undefined && head.length > 0) yield head;
}

/** The bytes as they are, or unpacked where they are gzip. */
async function* unpack(source: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const chunks = source[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  while (head.length < 2) {
    const next = await chunks.next();
    if (next.done) break;
    head = Buffer.concat([head, next.value]);
  }
  const whole = startingWith(head, chunks);
  if (head[0] === 0x1f && head[1] === 0x8b) yield* gunzip(whole);
  else yield* whole;
}

async function* startingWith(head: Buffer, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Buffer> {
  try {
    if (head.length > 0) yield head;
    for (let next = await rest.next(); !next.done; next = await rest.next()) {
      const { buffer, byteOffset, byteLength } = next.value;
      yield Buffer.from(buffer, byteOffset, byteLength);
    }
  } finally {
    await rest.return?.();
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
