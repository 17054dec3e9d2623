import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

export type Proxy = {
  port: number;
  /** Bytes pass in both directions, as they do from the start. */
  pass(): void;
  /** Nothing passes and nothing is closed: a line gone dead. */
  swallow(): void;
  /** Closes every connection after this text went by towards the server; the server's answer is lost. */
  cutAfter(text: string): void;
  /** Passes nothing more once this text went by towards the server, which is when the promise is kept. */
  holdAfter(text: string): Promise<void>;
  /** Closes every connection and refuses new ones. */
  refuse(): void;
  stop(): Promise<void>;
};

/** A line to a TCP server on this machine that can be made to fail. */
export async function startProxy(target: { host: string; port: number }): Promise<Proxy> {
  let mode: 'pass' | 'swallow' | 'refuse' = 'pass';
  let cutAt: string | undefined;
  let hold: { at: string; reached: () => void } | undefined;
  const sockets = new Set<Socket>();

  const server = createServer((near) => {
    if (mode === 'refuse') return void near.destroy();
    const far = connect(target);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', () => socket.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    near.on('data', (bytes) => {
      if (mode !== 'pass') return;
      far.write(bytes);
      if (hold && bytes.includes(hold.at)) {
        mode = 'swallow';
        hold.reached();
        hold = undefined;
      }
      if (cutAt !== undefined && bytes.includes(cutAt)) {
        cutAt = undefined;
        // Once the server answers, it has carried the statement out; its answer finds nobody.
        far.removeAllListeners('data').once('data', () => near.destroy());
      }
    });
    far.on('data', (bytes) => {
      if (mode === 'pass') near.write(bytes);
    });
    return undefined;
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    pass() {
      mode = 'pass';
    },
    swallow() {
      mode = 'swallow';
    },
    refuse() {
      mode = 'refuse';
      for (const socket of sockets) socket.destroy();
    },
    cutAfter(text) {
      cutAt = text;
    },
    holdAfter(text) {
      const { promise, resolve } = Promise.withResolvers<void>();
      hold = { at: text, reached: resolve };
      return promise;
    },
    async stop() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => void server.close(resolve));
    },
  };
}
