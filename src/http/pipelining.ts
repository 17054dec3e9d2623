import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Exchange = { request: IncomingMessage; response: ServerResponse };

/** The requests of a connection that have no answer yet. */
type Line = {
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

/** Requests that may wait on one connection even then. */
const ALWAYS_WAITING = 16;

/** Milliseconds until a connection that got a 429 is read again, because rejecting requests costs time too. */
const PAUSE_AFTER_429 = 100;

export type Pipelining = {
  /** For the server's requests. */
  listener: RequestListener;
  /**
   * Runs `act`, which closes a connection after bytes that are not a request: once every complete request before them
   * is answered, and never if the connection breaks before.
   */
  end(socket: Duplex, act: () => void): void;
};

/**
 * Handles the requests of one connection one after another: the next begins when the previous answer has left
 * the process. So a client that pipelines has at most one request in progress, and for one that reads
 * no answers no more are prepared. Node would emit all requests at once.
 */
export function oneAtATime(handle: RequestListener): Pipelining {
  const lines = new WeakMap<Duplex, Line>();
  let waiting = 0;

  function begin({ request, response }: Exchange, line: Line): void {
    line.underWay = request;
    response.once('close', () => {
      if (response.statusCode === 429) holdBack(request.socket, line);
      else proceed(request.socket, line);
    });
    handle(request, response);
  }

  function holdBack(socket: Duplex, line: Line): void {
    line.held = true;
    stopReading(socket, line);
    setTimeout(() => {
      line.held = false;
      if (line.waiting.length === 0) socket.resume();
      proceed(socket, line);
    }, PAUSE_AFTER_429).unref();
  }

  function proceed(socket: Duplex, line: Line): void {
    // No work is done for an answer that can no longer be sent.
    if (socket.destroyed || !socket.writable) {
      waiting -= line.waiting.length;
      line.waiting = [];
      return;
    }
    const next = line.waiting.shift();
    if (!next) {
      lines.delete(socket);
      line.last?.();
      return;
    }
    waiting--;
    if (line.waiting.length === 0) socket.resume();
    // Lets other connections proceed in between.
    setImmediate(begin, next, line);
  }

  return {
    listener(request, response) {
      const { socket } = request;
      // The connection ends: no answer could be sent, and nothing would take the request out of its line.
      if (!socket.writable) return;
      const line = lines.get(socket);
      if (!line) {
        const own: Line = { underWay: request, waiting: [], held: false, paused: false };
        lines.set(socket, own);
        begin({ request, response }, own);
        return;
      }
      if (waiting >= MAX_WAITING && line.waiting.length >= ALWAYS_WAITING) {
        socket.destroy();
        return;
      }
      waiting++;
      line.waiting.push({ request, response });
      stopReading(socket, line);
    },
    end(socket, act) {
      const line = lines.get(socket);
      // The fault may be in the body of the last request, which then never ends.
      if (line && line.waiting.at(-1)?.request.complete === false) {
        line.waiting.pop();
        waiting--;
      }
      if (line?.underWay.complete) line.last = act;
      else act();
    },
  };
}

/** Node resumes a socket after each request; while others wait it is paused again. */
function stopReading(socket: Duplex, line: Line): void {
  if (line.paused) return;
  line.paused = true;
  const keepPaused = () => {
    if (line.waiting.length > 0 || line.held) {
      socket.pause();
      return;
    }
    line.paused = false;
    socket.off('resume', keepPaused);
  };
  socket.on('resume', keepPaused);
  socket.pause();
}
