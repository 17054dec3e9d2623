import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Download } from './endpoint.ts';
import { Problem } from './problem.ts';

/** Downloads of one caller at a time. Their size is unknown until they end, so their number is limited instead. */
const MAX_AT_ONCE = 2;

const RETRY_AFTER_SECONDS = 10;

export type SendFile = (request: FastifyRequest, reply: FastifyReply, file: Download) => FastifyReply;

/** Sends files while they are generated. A failure breaks the connection: clients see that the file is incomplete. */
export function createSendFile(): SendFile {
  /** The caller of each download. A download ends when its content is closed, also because the client has gone. */
  const underWay: string[] = [];

  /** @throws {Problem} rate_limited */
  return (request, reply, { name, type, content }) => {
    const { id } = request.caller!;
    const isHead = request.method === 'HEAD';
    const isRefused = underWay.filter((callerId) => callerId === id).length >= MAX_AT_ONCE;
    // HEAD sends no body, so nothing is read for it.
    if (isHead || isRefused) content.destroy();
    if (isRefused) {
      throw new Problem(
        'rate_limited',
        `At most ${MAX_AT_ONCE} downloads at a time; wait until one of them has finished`,
        { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
      );
    }
    if (!isHead) {
      underWay.push(id);
      content.once('close', () => underWay.splice(underWay.indexOf(id), 1));
    }
    return reply
      .header('content-type', type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(isHead ? undefined : content);
  };
}
