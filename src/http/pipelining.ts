import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

type Exchange = { request: IncomingMessage; response: ServerResponse };

/** What a connection has still to be answered. */
type Line = {
  underWay: IncomingMessage;
  waiting: Exchange[];
  /** Whether the connection was told to wait, and is not read on for a while. */
  held: boolean;
  /** Whether reading has stopped. */
  paused: boolean;
  last?: () => void;
};

/**
 * Requests that may wait behind others of their connection, in the whole process. Node makes them of what one
 * read of a socket brings, so reading on has to stop before memory does.
 */
const MAX_WAITING = 5_000;

/** Requests that may wait on one connection even then. */
const ALWAYS_WAITING = 16;

/** Milliseconds until a connection is read on that was told to wait: refusing costs work as well. */
const PAUSE_AFTER_429 = 100;

export type Pipelining = {
  /** For the server's requests. */
  listener: RequestListener;
  /**
   * Says the last word on a connection whose bytes are no request: once every whole request before them is
   * answered, and never when the connection breaks before.
   */
  end(socket: Duplex, act: () => void): void;
};

/**
 * Handles the requests of one connection one after another: the next begins when the answer before it has left
 * the process. So a client that pipelines cannot have more than one request under way, and one that reads
 * nothing gets nothing more prepared. Node would hand over all of them at once.
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
    // An answer that cannot be given any more must not be worked for either.
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
    // Other connections get their turn in between.
    setImmediate(begin, next, line);
  }

  return {
    listener(request, response) {
      const { socket } = request;
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
      // The fault may lie in the body of the last request, which then never comes to its end.
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
