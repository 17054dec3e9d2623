import { setTimeout as wait } from 'node:timers/promises';
import { Server } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Milliseconds clients are given to take their next answer, and with it the word that the connection closes. */
const GOODBYE = 1_000;
/** Milliseconds requests under way may take before they are cut off. */
const PATIENCE = 10_000;

/**
 * Makes a server stop without cutting a request off. A client with a connection it keeps alive would race a
 * plain close with its next request; here it is first told, with an answer, that the connection ends.
 */
export function drainable(app: FastifyInstance): { drain: () => Promise<void> } {
  let draining = false;
  // On the answer, not the request: one under way when the signal came closes its connection too.
  app.addHook('onSend', (_, reply, payload, done) => {
    if (draining) reply.header('connection', 'close');
    done(null, payload);
  });
  return {
    async drain() {
      draining = true;
      // Of net, not of http: that one would also close connections idle between two requests.
      Server.prototype.close.call(app.server);
      const deadline = performance.now() + GOODBYE;
      while ((await openConnections(app)) > 0 && performance.now() < deadline) await wait(20);
      const cut = setTimeout(() => app.server.closeAllConnections(), PATIENCE - GOODBYE);
      await app.close();
      clearTimeout(cut);
    },
  };
}

function openConnections(app: FastifyInstance): Promise<number> {
  return new Promise((resolve, reject) => {
    app.server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
  });
}
