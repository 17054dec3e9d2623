import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { atEndOfTurn } from './end-of-turn.ts';
import type { Caller } from './endpoint.ts';

/**
 * Called for every answer, also one that its client did not wait for. `milliseconds` is the time from the request's
 * arrival to the end of the response.
 */
export type OnAnswer = (answer: Answered) => void;

type Answered = {
  method: string;
  route: string;
  status: number;
  milliseconds: number;
  caller: Caller | undefined;
};

type Recorded = { line: object; answer: Answered | undefined };

export type RecordOptions = {
  log: Logger;
  onAnswer: OnAnswer;
  /** Milliseconds after which the log line of a request names its statements. */
  slowRequestMs: number;
};

/**
 * Records a request once: when its answer is out, or when the request is over without an answer. An operator may have
 * to find out what the client never learned.
 */
export function recorder({ log, onAnswer, slowRequestMs }: RecordOptions) {
  const write = atEndOfTurn<Recorded>((requests) => {
    for (const { line, answer } of requests) {
      if (answer) onAnswer(answer);
      log.info(line, 'request');
    }
  });
  return (request: FastifyRequest, reply: FastifyReply, hasLeft: boolean): void => {
    const { id, recordedId, method, routePattern: route, caller, work, stage } = request;
    if (!work) return;
    request.work = undefined;
    const { elapsedTime: milliseconds } = reply;
    const status = stage === 'answered' ? reply.statusCode : undefined;
    const workspaceId = caller?.tenant.id;
    const { span } = work;
    span?.end({ method, route, status, requestId: id, workspaceId });
    // Timers that the request starts, such as the one that stores the use of keys, are not part of it.
    work.span = undefined;
    const line = {
      request_id: id,
      key_id: caller?.kind === 'key' ? caller.id : undefined,
      user_id: caller?.kind === 'user' ? caller.id : undefined,
      recorded_request_id: recordedId,
      workspace_id: workspaceId,
      trace_id: span?.traceId,
      method,
      route,
      status,
      client_left: hasLeft || undefined,
      ms: Math.round(milliseconds * 10) / 10,
      statements: milliseconds >= slowRequestMs ? work.executed : undefined,
    };
    write({
      line,
      answer: status === undefined ? undefined : { method, route, status, milliseconds, caller },
    });
  };
}
