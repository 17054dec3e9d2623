import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A span as a collector receives it; ids are hexadecimal, `parent` is empty where there is none. */
export type Span = {
  traceId: string;
  id: string;
  parent: string;
  name: string;
  /** 2 for the span of a server, 3 for that of a client. */
  kind: number;
  start: bigint;
  end: bigint;
  attributes: Record<string, string | number>;
  failed: boolean;
  /** The attributes that describe the service. */
  service: Record<string, string | number>;
};

type Collector = {
  url: string;
  spans: Span[];
  /** How many requests came, whatever became of them. */
  requests(): number;
  /** Leaves requests without an answer from now on. */
  fallSilent(): void;
  stop(): Promise<void>;
};

/** A collector that takes OTLP over HTTP as protobuf, on a free port. */
export async function startCollector(): Promise<Collector> {
  const spans: Span[] = [];
  let isSilent = false;
  let requests = 0;
  const server = createServer((request, response) => {
    requests++;
    if (!isSilent) void take(request, response);
  });

  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await buffer(request);
    const type = 'application/x-protobuf';
    const isRight = request.url === '/v1/traces' && request.headers['content-type'] === type;
    if (isRight) spans.push(...spansIn(body));
    response.writeHead(isRight ? 200 : 400, { 'content-type': type }).end();
  }

  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    requests: () => requests,
    fallSilent: () => void (isSilent = true),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** An ExportTraceServiceRequest: resource spans hold a resource and scope spans, and these hold spans. */
function spansIn(body: Buffer): Span[] {
  return each(body, 1).flatMap((resourceSpans) => {
    const service = attributesOf(each(each(resourceSpans, 1)[0]!, 1));
    return each(resourceSpans, 2).flatMap((scopeSpans) =>
      each(scopeSpans, 2).map((span) => ({ ...spanOf(span), service })),
    );
  });
}

function spanOf(message: Buffer): Omit<Span, 'service'> {
  const fields = fieldsOf(message);
  const bytes = (number: number) => (fields.find((field) => field.number === number)?.value ?? '') as Buffer;
  const integer = (number: number) =>
    (fields.find((field) => field.number === number)?.value ?? 0n) as bigint;
  const [status] = each(message, 15);
  return {
    traceId: bytes(1).toString('hex'),
    id: bytes(2).toString('hex'),
    parent: bytes(4).toString('hex'),
    name: bytes(5).toString(),
    kind: Number(integer(6)),
    start: integer(7),
    end: integer(8),
    attributes: attributesOf(each(message, 9)),
    failed:
      status !== undefined && fieldsOf(status).some(({ number, value }) => number === 3 && value === 2n),
  };
}

function attributesOf(entries: readonly Buffer[]): Record<string, string | number> {
  return Object.fromEntries(
    entries.map((entry) => {
      const [value] = fieldsOf(each(entry, 2)[0]!);
      return [
        each(entry, 1)[0]!.toString(),
        typeof value!.value === 'bigint' ? Number(value!.value) : String(value!.value),
      ];
    }),
  );
}

/** The fields of a number that hold messages, text or bytes. */
function each(message: Buffer, number: number): Buffer[] {
  return fieldsOf(message).flatMap((field) =>
    field.number === number && typeof field.value !== 'bigint' ? [field.value] : [],
  );
}

/** The wire format of protobuf: varints, 64 and 32 bits, and fields with a length. */
function fieldsOf(message: Buffer): { number: number; value: bigint | Buffer }[] {
  const fields: { number: number; value: bigint | Buffer }[] = [];
  let at = 0;
  const varint = () => {
    for (let value = 0n, shift = 0n; ; shift += 7n) {
      const byte = message[at++]!;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
  };
  const take = (length: number) => message.subarray(at, (at += length));
  while (at < message.length) {
    const tag = Number(varint());
    const wire = tag & 7;
    if (wire === 0) fields.push({ number: tag >> 3, value: varint() });
    else if (wire === 1) fields.push({ number: tag >> 3, value: take(8).readBigUInt64LE() });
    else if (wire === 2) fields.push({ number: tag >> 3, value: take(Number(varint())) });
    else fields.push({ number: tag >> 3, value: BigInt(take(4).readUInt32LE()) });
  }
  return fields;
}
