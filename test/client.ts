import {
  request as httpRequest,
  type Agent,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
} from 'node:http';
import { APP_PATH, BASE_PATH } from '../src/http/mount.ts';

/** An answer, its body as sent and as JSON means it. */
export type Answer = {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
  /** What the body's JSON means; undefined when there is no body or it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape
  body: any;
};

/** One request. It has the headers given here, its key, or its session and Sec-Fetch-Site, and what `node:http` adds. */
type Request = {
  method?: string;
  /** Below /api/v1, or /app/api with a session, unless `absolute`; sent as it stands. */
  path: string;
  absolute?: boolean;
  headers?: OutgoingHttpHeaders;
  body?: string | Buffer;
};

/** Judges an answer and throws when the API does not promise it. */
export type Judge = (asked: { method: string; path: string }, answer: Answer) => void;

export type Client = {
  readonly token: string | undefined;
  get(path: string): Promise<Answer>;
  post(path: string, body: unknown): Promise<Answer>;
  patch(path: string, body: unknown): Promise<Answer>;
  delete(path: string): Promise<Answer>;
  /** A request as given, with this client's key unless `headers` say otherwise. */
  send(request: Request): Promise<Answer>;
};

/** Sends requests to `origin` with `token`; every answer is put before `judge` first. */
export function clientFor(options: {
  origin: string;
  token: string | undefined;
  /** The session of a person, in place of a key: paths are below /app/api then. */
  session?: string;
  agent: Agent;
  judge: Judge;
}): Client {
  const { origin, token, session, agent, judge } = options;
  const basePath = session === undefined ? BASE_PATH : APP_PATH;

  async function send({
    method = 'GET',
    path,
    absolute = false,
    headers = {},
    body,
  }: Request): Promise<Answer> {
    const whole = absolute ? path : basePath + path;
    const authorization = {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(session !== undefined && {
        cookie: `kundebok_session=${session}`,
        'sec-fetch-site': 'same-origin',
      }),
    };
    const answer = await exchange(origin, agent, {
      method,
      path: whole,
      headers: Object.fromEntries(
        Object.entries({ ...authorization, ...headers }).filter(([, value]) => value !== undefined),
      ),
      body,
    });
    judge({ method, path: whole }, answer);
    return answer;
  }

  const sendJson = (method: string) => (path: string, body: unknown) =>
    send({ method, path, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

  return {
    token,
    get: (path) => send({ path }),
    post: sendJson('POST'),
    patch: sendJson('PATCH'),
    delete: (path) => send({ method: 'DELETE', path }),
    send,
  };
}

function exchange(
  origin: string,
  agent: Agent,
  { method, path, headers, body }: { method: string; path: string } & Pick<Request, 'headers' | 'body'>,
): Promise<Answer> {
  const { hostname, port } = new URL(origin);
  return new Promise((resolve, reject) => {
    const chunked = headers !== undefined && 'transfer-encoding' in headers;
    const length = body === undefined || chunked ? {} : { 'content-length': Buffer.byteLength(body) };
    const sent = httpRequest(
      { hostname, port, method, path, agent, headers: { ...length, ...headers } },
      (incoming) => {
        const parts: Buffer[] = [];
        incoming.on('data', (part: Buffer) => parts.push(part));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const text = Buffer.concat(parts).toString('utf8');
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text, body: parsed(text) });
        });
      },
    );
    sent.on('error', reject);
    sent.end(body);
  });
}

function parsed(text: string): unknown {
  if (text === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
