import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { negotiate } from '@fastify/accept-negotiator';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A file kept in memory: every answer sends the same bytes, whatever happens to the folder it came from. */
export type Asset = {
  type: string;
  etag: string;
  cacheControl: string;
  /** The file in each coding. */
  encodings: readonly { name: string; bytes: Buffer }[];
};

/** Content codings, the smallest first. */
const CODINGS = ['br', 'gzip', 'identity'];

/** For an address that changes with its content, and for one that does not: asked again, answered 304. */
export const FOREVER = 'public, max-age=31536000, immutable';
export const ASK_AGAIN = 'no-cache';

/** Near the smallest size at a tenth of the time of the highest quality. */
const BROTLI_QUALITY = 6;

/** Compresses a file once, off the event loop. */
export async function createAsset(options: {
  type: string;
  bytes: Buffer;
  cacheControl: string;
}): Promise<Asset> {
  const { type, bytes, cacheControl } = options;
  const [br, gz] = await Promise.all([
    promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
    promisify(gzip)(bytes),
  ]);
  return {
    type,
    cacheControl,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    encodings: [
      { name: 'br', bytes: br },
      { name: 'gzip', bytes: gz },
      { name: 'identity', bytes },
    ],
  };
}

/** Answers GET and HEAD of an asset; 304 when the client has it already. */
export function sendAsset(request: FastifyRequest, reply: FastifyReply, asset: Asset): FastifyReply {
  const { type, etag, cacheControl, encodings } = asset;
  reply.headers({ etag, 'cache-control': cacheControl, vary: 'accept-encoding' });
  if (isCurrent(request.headers['if-none-match'], etag)) return reply.code(304).send();
  const accepted = negotiate(request.headers['accept-encoding'] ?? 'identity', CODINGS);
  const { name, bytes } = encodings.find(({ name }) => name === accepted) ?? encodings.at(-1)!;
  if (name !== 'identity') reply.header('content-encoding', name);
  return reply.type(type).send(bytes);
}

/** Weak comparison, as RFC 9110 asks of If-None-Match. */
function isCurrent(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()));
}
