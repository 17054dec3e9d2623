import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';

/** What happens to bytes on their way, in each direction. */
type Distortion = { delayMs?: number; bytesPerSecond?: number; sliceBytes?: number };

export type Proxy = {
  port: number;
  /** How many connections were opened to it so far. */
  opened(): number;
  /** Bytes pass in both directions, as they do from the start. */
  pass(): void;
  /** Bytes pass late, slowly or in small pieces, also on connections that are open. */
  distort(how: Distortion): void;
  /** Nothing passes and nothing is closed: a line gone dead. */
  swallow(): void;
  /** Closes every connection after this text went by towards the server; the server's answer is lost. */
  cutAfter(text: string): void;
  /** Passes nothing more once this text went by towards the server; the promise resolves then. */
  holdAfter(text: string): Promise<void>;
  /** Closes every connection and refuses new ones. */
  refuse(): void;
  stop(): Promise<void>;
};

/** A line to a TCP server on this machine that can be made to fail. */
export async function startProxy(target: { host: string; port: number }): Promise<Proxy> {
  let mode: 'pass' | 'swallow' | 'refuse' = 'pass';
  let distortion: Distortion = {};
  let cutAt: string | undefined;
  let hold: { at: string; reached: () => void } | undefined;
  const sockets = new Set<Socket>();
  let opened = 0;

  const server = createServer((near) => {
    opened += 1;
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
    const [forth, back] = [far, near].map((socket) => carrier(socket, () => distortion));
    near.on('data', (bytes: Buffer) => {
      if (mode !== 'pass') return;
      forth!(bytes);
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
    far.on('data', (bytes: Buffer) => {
      if (mode === 'pass') back!(bytes);
    });
    return undefined;
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));

  return {
    port: (server.address() as AddressInfo).port,
    opened: () => opened,
    pass() {
      mode = 'pass';
      distortion = {};
    },
    distort(how) {
      distortion = how;
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

/** Gives bytes to a socket in order, as the line is at the time. */
function carrier(socket: Socket, distortion: () => Distortion): (bytes: Buffer) => void {
  let under = 0;
  let last = Promise.resolve();

  async function carry(bytes: Buffer, { delayMs = 0, bytesPerSecond, sliceBytes }: Distortion, due: number) {
    if (delayMs > 0) await sleep(due - performance.now());
    const size = sliceBytes ?? (bytesPerSecond === undefined ? bytes.length : Math.ceil(bytesPerSecond / 20));
    for (let at = 0; at < bytes.length && socket.writable; at += size) {
      const piece = bytes.subarray(at, at + size);
      if (bytesPerSecond !== undefined) await sleep((piece.length / bytesPerSecond) * 1_000);
      else if (sliceBytes !== undefined) await setImmediate();
      socket.write(piece);
    }
  }

  return (bytes) => {
    const how = distortion();
    if (under === 0 && Object.keys(how).length === 0) {
      socket.write(bytes);
      return;
    }
    under += 1;
    const due = performance.now() + (how.delayMs ?? 0);
    last = last.then(() => carry(bytes, how, due)).finally(() => (under -= 1));
  };
}
