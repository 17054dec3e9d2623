import type { FastifyReply, FastifyRequest } from 'fastify';
import { onceClosed } from './closed.ts';
import type { Download } from './endpoint.ts';
import { Problem } from './problem.ts';

/** Downloads of one caller at a time. Their size is unknown until they end, so their number is limited instead. */
const MAX_AT_ONCE = 2;

const RETRY_AFTER_SECONDS = 10;

export type SendFile = (request: FastifyRequest, reply: FastifyReply, file: Download) => FastifyReply;

/** Sends files while they are generated. A failure breaks the connection, so that the client sees it is incomplete. */
export function createSendFile(): SendFile {
  const underWay = new Map<string, number>();

  /** @throws {Problem} rate_limited */
  function enter(callerId: string, reply: FastifyReply): void {
    const count = underWay.get(callerId) ?? 0;
    if (count >= MAX_AT_ONCE) {
      throw new Problem(
        'rate_limited',
        `At most ${MAX_AT_ONCE} downloads at a time; wait until one of them has finished`,
        { headers: { 'retry-after': String(RETRY_AFTER_SECONDS) } },
      );
    }
    underWay.set(callerId, count + 1);
    onceClosed(reply.raw, () => {
      const left = underWay.get(callerId)! - 1;
      if (left > 0) underWay.set(callerId, left);
      else underWay.delete(callerId);
    });
  }

  return (request, reply, { name, type, content }) => {
    const isHead = request.method === 'HEAD';
    try {
      if (!isHead) enter(request.caller!.id, reply);
    } catch (problem) {
      content.destroy();
      throw problem;
    }
    // HEAD sends no body, so nothing is read for it.
    if (isHead) content.destroy();
    return reply
      .header('content-type', type)
      .header('content-disposition', `attachment; filename="${name}"`)
      .send(isHead ? undefined : content);
  };
}
