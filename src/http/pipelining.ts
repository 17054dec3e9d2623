import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Exchange = { request: IncomingMessage; response: ServerResponse };

/** The requests of a connection that have no answer yet. */
type Pipeline = {
  underWay: IncomingMessage;
  waiting: Exchange[];
  /** Whether the connection got a 429, after which it is not read for a while. */
  held: boolean;
  /** Whether reading has stopped. */
  paused: boolean;
  last?: () => void;
};

/**
 * Requests that may wait behind others of their connection, in the whole process. Node creates them from one
 * read of a socket, so reading must stop before memory runs out.
 */
const MAX_WAITING = 5_000;

/** Requests that may wait on each connection even when MAX_WAITING is reached. */
const ALWAYS_WAITING = 16;

/** How long a connection that got a 429 is not read, because rejecting requests costs time too. */
const PAUSE_AFTER_429_MS = 100;

type Pipelining = {
  /** For the server's requests. */
  listener: RequestListener;
  /**
   * Runs `act`, which closes a connection after bytes that are not a request. It runs once every complete request
   * before those bytes is answered, and never if the connection breaks first.
   */
  end(socket: Duplex, act: () => void): void;
};

/**
 * Handles the requests of one connection one after another: the next begins when the previous answer has left
 * the process. So a client that pipelines has at most one request in progress, and no more
 * answers are prepared for a client that does not read them. Node would emit all requests at once.
 */
export function oneAtATime(handle: RequestListener): Pipelining {
  const pipelines = new WeakMap<Duplex, Pipeline>();
  let waiting = 0;

  function begin({ request, response }: Exchange, pipeline: Pipeline): void {
    pipeline.underWay = request;
    response.once('close', () => {
      if (response.statusCode === 429) holdBack(request.socket, pipeline);
      else proceed(request.socket, pipeline);
    });
    handle(request, response);
  }

  function holdBack(socket: Duplex, pipeline: Pipeline): void {
    pipeline.held = true;
    stopReading(socket, pipeline);
    setTimeout(() => {
      pipeline.held = false;
      if (pipeline.waiting.length === 0) socket.resume();
      proceed(socket, pipeline);
    }, PAUSE_AFTER_429_MS).unref();
  }

  function proceed(socket: Duplex, pipeline: Pipeline): void {
    // No work is done for an answer that can no longer be sent.
    if (socket.destroyed || !socket.writable) {
      waiting -= pipeline.waiting.length;
      pipeline.waiting = [];
      return;
    }
    const next = pipeline.waiting.shift();
    if (!next) {
      pipelines.delete(socket);
      pipeline.last?.();
      return;
    }
    waiting--;
    if (pipeline.waiting.length === 0) socket.resume();
    // Lets other connections proceed in between.
    setImmediate(begin, next, pipeline);
  }

  return {
    listener(request, response) {
      const { socket } = request;
      // The connection ends: no answer could be sent, and nothing would take the request out of its pipeline.
      if (!socket.writable) return;
      const pipeline = pipelines.get(socket);
      if (!pipeline) {
        const own: Pipeline = { underWay: request, waiting: [], held: false, paused: false };
        pipelines.set(socket, own);
        begin({ request, response }, own);
        return;
      }
      if (waiting >= MAX_WAITING && pipeline.waiting.length >= ALWAYS_WAITING) {
        socket.destroy();
        return;
      }
      waiting++;
      pipeline.waiting.push({ request, response });
      stopReading(socket, pipeline);
    },
    end(socket, act) {
      const pipeline = pipelines.get(socket);
      // The fault may be in the body of the last request, which then never ends.
      if (pipeline && pipeline.waiting.at(-1)?.request.complete === false) {
        pipeline.waiting.pop();
        waiting--;
      }
      if (pipeline?.underWay.complete) pipeline.last = act;
      else act();
    },
  };
}

/** Node resumes a socket after each request; while others wait it is paused again. */
function stopReading(socket: Duplex, pipeline: Pipeline): void {
  if (pipeline.paused) return;
  pipeline.paused = true;
  const keepPaused = () => {
    if (pipeline.waiting.length > 0 || pipeline.held) {
      socket.pause();
      return;
    }
    pipeline.paused = false;
    socket.off('resume', keepPaused);
  };
  socket.on('resume', keepPaused);
  socket.pause();
}
