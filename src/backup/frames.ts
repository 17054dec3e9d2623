const LENGTH_BYTES = 4;

/** A length and that many bytes. */
export function frame(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content as string);
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/** Reads frames from a stream whose chunks may end anywhere. */
export class FrameReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  async next(): Promise<Buffer> {
    const length = (await this.#take(LENGTH_BYTES)).readUInt32BE();
    return this.#take(length);
  }

  /** Frames up to and including an empty one, which is not yielded. */
  async *untilEmpty(): AsyncGenerator<Buffer> {
    for (;;) {
      const content = await this.next();
      if (content.length === 0) return;
      yield content;
    }
  }

  async #take(length: number): Promise<Buffer> {
    const parts = [this.#rest];
    let has = this.#rest.length;
    while (has < length) {
      const { value, done } = await this.#chunks.next();
      if (done) throw new Error('the stream ends too early');
      parts.push(value);
      has += value.length;
    }
    const bytes = parts.length === 1 ? this.#rest : Buffer.concat(parts);
    this.#rest = bytes.subarray(length);
    return bytes.subarray(0, length);
  }
}
