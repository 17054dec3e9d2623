import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { createGzip } from 'node:zlib';

/** A request, and what the register would answer if it were well. */
type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  right: RightAnswer;
};

export type RightAnswer = { status: number; headers: Record<string, string>; body: Buffer };

/** What a register that is not well does with a request. */
export type Misbehaviour = (exchange: Exchange) => void | Promise<void>;

const JSON_TYPE = { 'content-type': 'application/vnd.brreg.enhetsregisteret.enhet.v2+json;charset=UTF-8' };

/** Answers rightly, after a while. Milliseconds. */
export function slow(ms: number): Misbehaviour {
  return async ({ response, right }) => {
    await pause(ms);
    response.writeHead(right.status, right.headers).end(right.body);
  };
}

/** Sends the head at once and then a byte at a time. Milliseconds between bytes. */
export function trickling(ms: number): Misbehaviour {
  return async ({ response, right }) => {
    response.writeHead(right.status, right.headers).flushHeaders();
    for (const byte of right.body) {
      await pause(ms);
      if (response.closed) return;
      response.write(Uint8Array.of(byte));
    }
    response.end();
  };
}

/** Fails with a status, in the register's own error shape. */
export function failing(status: number, headers: Record<string, string> = {}): Misbehaviour {
  return ({ request, response }) => {
    const error = { timestamp: '2026-01-05T07:36:21.523+0000', status, error: 'Error', path: request.url };
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(error));
  };
}

/** A page for people, as a proxy or a portal in between would send. */
export function html(status = 200): Misbehaviour {
  return ({ response }) => {
    const page = '<!doctype html><title>Logg inn</title><p>Koble til nettet';
    response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' }).end(page);
  };
}

/** Any body at all with status 200 and the right media type. */
export function saying(body: string | Uint8Array): Misbehaviour {
  return ({ response }) => {
    response.writeHead(200, JSON_TYPE).end(body);
  };
}

/** A record, but of another number. */
export function lying(orgnr: string): Misbehaviour {
  return ({ response, right }) => {
    const told = right.body.toString().replace(/(?<="organisasjonsnummer":")\d{9}/, orgnr);
    response.writeHead(right.status, right.headers).end(told);
  };
}

/** Half of the right answer, then a closed connection. */
export function cuttingOff(framing: 'length' | 'chunked'): Misbehaviour {
  return async ({ response, right }) => {
    const length = framing === 'length' ? { 'content-length': String(right.body.byteLength) } : {};
    response.writeHead(right.status, { ...right.headers, ...length });
    response.write(right.body.subarray(0, right.body.byteLength / 2));
    await pause(20);
    response.destroy();
  };
}

/** Half of the right answer, properly ended: whole for HTTP, not for a reader. */
export function halving(): Misbehaviour {
  return ({ response, right }) => {
    response.writeHead(right.status, right.headers).end(right.body.subarray(0, right.body.byteLength / 2));
  };
}

/** Fifty megabytes that begin like a record. `sent` tells how many bytes the client has taken. */
export function flooding(framing: 'length' | 'chunked' | 'gzip'): { how: Misbehaviour; sent(): number } {
  const total = 50 * 1024 * 1024;
  const chunk = Buffer.alloc(64 * 1024, ' ');
  let sent = 0;
  return {
    sent: () => sent,
    how: async ({ response }) => {
      const length = framing === 'length' ? { 'content-length': String(total) } : {};
      const encoding = framing === 'gzip' ? { 'content-encoding': 'gzip' } : {};
      response.writeHead(200, { ...JSON_TYPE, ...length, ...encoding });
      const gzip = framing === 'gzip' ? createGzip({ level: 1 }) : null;
      gzip?.pipe(response);
      const out = gzip ?? response;
      while (sent < total && !response.closed) {
        sent += chunk.byteLength;
        if (!out.write(chunk)) await takenOrClosed(out, response);
      }
      out.end();
    },
  };
}

/** Sends the client elsewhere. */
export function redirecting(location: string, status = 302): Misbehaviour {
  return ({ response }) => {
    response.writeHead(status, { location }).end();
  };
}

/** Hangs up without a word. */
export function hangingUp(): Misbehaviour {
  return ({ request }) => {
    request.socket.destroy();
  };
}

/** Never says anything. */
export function hanging(): Misbehaviour {
  return () => undefined;
}

function takenOrClosed(out: NodeJS.WritableStream, response: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  out.once('drain', resolve);
  response.once('close', resolve);
  return promise.finally(() => response.off('close', resolve));
}

/**
 * Answers what was right when the request came, but only when told to: an answer that is old by then.
 * `arrived` tells how many requests wait or have waited.
 */
export function holding(): { how: Misbehaviour; arrived(): number; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let arrived = 0;
  return {
    arrived: () => arrived,
    release: () => resolve(),
    how: async ({ response, right }) => {
      arrived += 1;
      await promise;
      response.writeHead(right.status, right.headers).end(right.body);
    },
  };
}
