import { connect } from 'node:net';
import { expect } from 'vitest';

/** One answer read off a socket. */
type RawAnswer = { status: number; headers: Map<string, string>; body: string };

export type Exchange = {
  answers: RawAnswer[];
  /** Whether the server closed the connection. */
  closed: boolean;
};

/**
 * Writes bytes to a port as they are and reads until the server closes, or until `expected` answers are whole.
 * A server that stays silent fails the test by its time limit.
 */
export function exchangeRaw(
  port: number,
  parts: readonly (string | Buffer)[],
  {
    expected = Infinity,
    end = false,
    bodiless = 0,
  }: {
    expected?: number;
    end?: boolean;
    /** How many of the first answers have no body, because they answer HEAD. */ bodiless?: number;
  } = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    const heard: Buffer[] = [];
    const settle = (closed: boolean) => {
      const answers = answersIn(Buffer.concat(heard), bodiless);
      if (!closed && answers.length < expected) return;
      socket.destroy();
      resolve({ answers, closed });
    };
    socket.on('data', (part) => {
      heard.push(Buffer.from(part));
      settle(false);
    });
    socket.on('close', () => settle(true));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      // The server may hang up while we are still writing.
      if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
    });
    for (const part of parts) socket.write(part);
    if (end) socket.end();
  });
}

/** Every whole answer, told apart by Content-Length. */
function answersIn(bytes: Buffer, bodiless: number): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf('\r\n\r\n', at);
    if (end === -1) break;
    const [line = '', ...fields] = bytes.toString('latin1', at, end).split('\r\n');
    if (!line.startsWith('HTTP/1.1 ')) break;
    const headers = new Map(
      fields.map((field) => {
        const colon = field.indexOf(':');
        return [field.slice(0, colon).toLowerCase(), field.slice(colon + 1).trim()];
      }),
    );
    const start = end + 4;
    const length = answers.length < bodiless ? 0 : Number(headers.get('content-length') ?? 0);
    if (bytes.length < start + length) break;
    answers.push({
      status: Number(line.split(' ')[1]),
      headers,
      body: bytes.toString('utf8', start, start + length),
    });
    at = start + length;
  }
  return answers;
}

/** A request as text. */
export function rawRequest(line: string, headers: readonly string[], body = ''): string {
  return [line, ...headers, '', body].join('\r\n');
}

/** Every error has the same shape, whichever layer refuses the request. */
export function expectProblem(answer: RawAnswer | undefined, status: number | readonly number[]): void {
  expect([status].flat()).toContain(answer?.status);
  const body = JSON.parse(answer!.body);
  expect(Object.keys(body).filter((name) => name !== 'details')).toEqual(['error', 'code']);
  expect([typeof body.error, typeof body.code]).toEqual(['string', 'string']);
  expect(answer!.headers.get('content-type')).toBe('application/json; charset=utf-8');
  expect(answer!.headers.get('cache-control')).toBe('no-store');
  expect(answer!.headers.get('x-request-id')).toMatch(/^[\w.:+/=-]{1,128}$/);
  expect(answer!.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer!.headers.get('referrer-policy')).toBe('no-referrer');
  expect(answer!.headers.get('content-security-policy')).toBe("default-src 'none'; frame-ancestors 'none'");
}

/** Resolves once the service has noticed what arrived on other connections, and which of them have closed. */
export async function hasCaughtUp(origin: string): Promise<void> {
  for (let count = 0; count < 3; count++) await (await fetch(`${origin}/healthz`)).text();
}
