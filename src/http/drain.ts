import { setTimeout as wait } from 'node:timers/promises';
import { Server } from 'node:net';
import { promisify } from 'node:util';
import type { FastifyInstance } from 'fastify';

/** How long clients have to get one more answer, which tells them that the connection closes. */
const GOODBYE_MS = 1_000;
/** How long requests in progress may take before they are aborted. */
const PATIENCE_MS = 10_000;

/**
 * Lets a server stop without aborting a request. A client with a keep-alive connection could send its next request
 * while the connection closes; here an answer first tells it that the connection ends.
 */
export function drainable(app: FastifyInstance): { drain: () => Promise<void> } {
  let draining = false;
  // On the answer, not the request, so that it also applies to requests already in progress.
  app.addHook('onSend', (_, reply, payload, done) => {
    if (draining) reply.header('connection', 'close');
    done(null, payload);
  });
  return {
    async drain() {
      draining = true;
      // For requests that are turned away before the framework sees them.
      app.server.prependListener('request', (_, response) => void response.setHeader('connection', 'close'));
      // The method of net.Server: that of http.Server would also close connections idle between two requests.
      Server.prototype.close.call(app.server);
      const deadline = performance.now() + GOODBYE_MS;
      const countConnections = promisify(app.server.getConnections.bind(app.server));
      while ((await countConnections()) > 0 && performance.now() < deadline) await wait(20);
      const cut = setTimeout(() => {
        app.log.warn(`requests took longer than ${PATIENCE_MS / 1_000} s: their connections are closed`);
        app.server.closeAllConnections();
      }, PATIENCE_MS - GOODBYE_MS);
      await app.close();
      clearTimeout(cut);
    },
  };
}
