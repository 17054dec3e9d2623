import { isUtf8 } from 'node:buffer';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { readRecord, type Reading } from '../../national/answer.ts';

/** Not a complete file of the register: nothing that was read of it may be used. */
export class BulkFileFault extends Error {}

/**
 * Even with the part of a record that is left from the chunk before, this stays below malloc's mmap threshold (set in
 * `bin/kundebok`): mapping costs time.
 */
const UNPACKED_CHUNK_BYTES = 96 * 1024;

/** Large enough that unpacking, on another thread, does not wait for the records to be read. */
const MAX_UNPACKED_BYTES = 8 * UNPACKED_CHUNK_BYTES;

/** A file in which a record never ends must not fill the memory. */
const MAX_RECORD_BYTES = 1024 * 1024;

/** The first byte of gzip; no JSON begins with it. */
const GZIP_BYTE = 0x1f;
const BYTE_ORDER_MARK = Buffer.from('\ufeff');
const [QUOTE, COMMA, OPEN_ARRAY, BACKSLASH, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('",[\\]{}');
const SPACES = new Set(Buffer.from('\t\n\r '));

/**
 * Reads a JSON array of records, gzipped or not, as its bytes arrive; each record like the answer of a look-up. The
 * file is valid only when all of it has been read.
 * @throws {BulkFileFault} when it is truncated, damaged or not such a file
 */
export async function* readBulkFile(source: AsyncIterable<Uint8Array>): AsyncGenerator<Reading[]> {
  const reader = new ArrayReader();
  for await (const chunk of unpack(source)) yield reader.read(chunk);
  reader.end();
}

/** Splits the array into records, wherever the chunks are cut. */
class ArrayReader {
  /** The beginning of a record whose end has not arrived. */
  #rest = Buffer.alloc(0);
  /** The position of #rest in the file. */
  #position = 0;
  #expected: 'array' | 'first record' | 'record' | 'comma' | 'end' = 'array';

  read(chunk: Uint8Array): Reading[] {
    const bytes = Buffer.concat([this.#rest, chunk]);
    const readings: Reading[] = [];
    let at = 0;
    while (at < bytes.length) {
      if (bytes[at] === OPEN_OBJECT) {
        const record = this.#readRecord(bytes, at);
        if (!record) break;
        readings.push(record.reading);
        at = record.end;
      } else {
        this.#readPunctuation(bytes[at]!, at);
        at += 1;
      }
    }
    this.#rest = Buffer.from(bytes.subarray(at));
    this.#position += at;
    if (this.#rest.length > MAX_RECORD_BYTES) {
      throw new BulkFileFault(`has a record of more than a mebibyte, from byte ${this.#position} on`);
    }
    return readings;
  }

  end(): void {
    if (this.#expected === 'end') return;
    if (this.#expected === 'array') throw new BulkFileFault('is empty');
    const length = this.#position + this.#rest.length;
    throw new BulkFileFault(`is cut off: it ends at byte ${length} without its final ]`);
  }

  /** Reads the record at `start`; undefined if its end has not arrived. */
  #readRecord(bytes: Buffer, start: number): { reading: Reading; end: number } | undefined {
    if (this.#expected !== 'record' && this.#expected !== 'first record') throw this.#fault(start);
    let end = endByBraces(bytes, start);
    let value = end === undefined ? undefined : parse(bytes.subarray(start, end));
    if (value === undefined) {
      end = endOfObject(bytes, start);
      if (end === undefined) return undefined;
      const json = bytes.subarray(start, end);
      value = parse(json);
      if (value === undefined && isUtf8(json)) throw this.#fault(start);
    }
    this.#expected = 'comma';
    return { reading: readRecord(value), end: end! };
  }

  #readPunctuation(byte: number, at: number): void {
    const expected = this.#expected;
    if (SPACES.has(byte)) return;
    if (byte === BYTE_ORDER_MARK[this.#position + at]) return;
    if (byte === OPEN_ARRAY && expected === 'array') this.#expected = 'first record';
    else if (byte === COMMA && expected === 'comma') this.#expected = 'record';
    else if (byte === CLOSE_ARRAY && (expected === 'comma' || expected === 'first record')) {
      this.#expected = 'end';
    } else throw this.#fault(at);
  }

  #fault(at: number): BulkFileFault {
    return new BulkFileFault(
      this.#expected === 'array'
        ? 'is not a file of the register: it is not a JSON array'
        : `is damaged: there is no array of records at byte ${this.#position + at}`,
    );
  }
}

/** Undefined for bytes that are not JSON or not UTF-8. A record that is not UTF-8 does not make the file invalid. */
function parse(bytes: Buffer): unknown {
  if (!isUtf8(bytes)) return undefined;
  try {
    return JSON.parse(bytes.toString()) as unknown;
  } catch {
    return undefined;
  }
}

/**
 * The same as `endOfObject` unless there are braces in strings. Up to a wrong end the bytes are not JSON, so parsing
 * them shows whether the end is right. Looking for braces alone takes a sixth of the time.
 */
function endByBraces(bytes: Buffer, start: number): number | undefined {
  let depth = 1;
  let open = bytes.indexOf(OPEN_OBJECT!, start + 1);
  let close = bytes.indexOf(CLOSE_OBJECT!, start + 1);
  while (close !== -1) {
    if (open !== -1 && open < close) {
      depth += 1;
      open = bytes.indexOf(OPEN_OBJECT!, open + 1);
    } else {
      depth -= 1;
      if (depth === 0) return close + 1;
      close = bytes.indexOf(CLOSE_OBJECT!, close + 1);
    }
  }
  return undefined;
}

/** The offset after the object that begins at `start`; undefined if its end has not arrived. */
function endOfObject(bytes: Buffer, start: number): number | undefined {
  let depth = 0;
  for (let at = start; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = endOfText(bytes, at);
    } else if (byte === OPEN_OBJECT) depth += 1;
    else if (byte === CLOSE_OBJECT) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** The offset of the quote that ends the text at `start`, or of the end of the bytes. */
function endOfText(bytes: Buffer, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return at;
}

/** The bytes as they are, or unpacked where they begin like gzip. */
async function* unpack(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]();
  const first = await chunks.next();
  async function* all(): AsyncGenerator<Uint8Array> {
    try {
      if (!first.done) yield first.value;
      yield* { [Symbol.asyncIterator]: () => chunks };
    } finally {
      await chunks.return?.();
    }
  }
  yield* first.value?.[0] === GZIP_BYTE ? gunzip(all()) : all();
}

async function* gunzip(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  // The callback is required, but has nothing to do: the loop below gets a fault as well.
  const options = { chunkSize: UNPACKED_CHUNK_BYTES, readableHighWaterMark: MAX_UNPACKED_BYTES };
  const unpacked = pipeline(packed, createGunzip(options), () => undefined);
  try {
    for await (const chunk of unpacked) yield chunk as Uint8Array;
  } catch (cause) {
    const code = String((cause as NodeJS.ErrnoException).code);
    if (code === 'Z_BUF_ERROR') throw new BulkFileFault('is cut off: it ends inside the gzip', { cause });
    if (code.startsWith('Z_')) throw new BulkFileFault('is damaged: its gzip cannot be unpacked', { cause });
    throw cause;
  }
}
