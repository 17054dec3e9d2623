import { RegisterUnavailable } from '../register.ts';

/** What a client is told to wait where the register says nothing itself: seconds. */
export const RETRY_LATER = 5;

/** A unit is some two kilobytes. Bytes, counted after unpacking. */
const LARGEST_BODY = 1024 * 1024;

/** The longest wish of the register's that is passed on and kept to: seconds. */
export const MAX_RETRY_AFTER = 300;

export type RegisterResponse = {
  status: number;
  /** Parsed JSON; undefined where the body was empty or the status does not need one. */
  body: unknown;
  /** The register's own wish: whole seconds, null without one. */
  retryAfterSeconds: number | null;
};

/** Statuses whose body is part of the answer. */
const TELLING = new Set([200, 404, 410]);

/**
 * One GET. Redirects are not followed, and a body that is read is small, whole JSON.
 * @param request.signal ends the request at any point, the body included
 * @throws {RegisterUnavailable} when there is no such answer
 */
export async function get(request: {
  url: string;
  accept: string;
  userAgent: string;
  signal: AbortSignal;
}): Promise<RegisterResponse> {
  const response = await fetch(request.url, {
    headers: { accept: request.accept, 'user-agent': request.userAgent },
    redirect: 'manual',
    signal: request.signal,
  }).catch((error: unknown) => {
    throw new RegisterUnavailable(`the register does not answer: ${causeOf(error)}`, RETRY_LATER, {
      cause: error,
    });
  });

  const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'));
  if (TELLING.has(response.status)) {
    return { status: response.status, body: await readJson(response), retryAfterSeconds };
  }
  await response.body?.cancel().catch(() => undefined);
  return { status: response.status, body: undefined, retryAfterSeconds };
}

async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response);
  if (text === '') return undefined;
  const mediaType = response.headers.get('content-type') ?? 'none';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(mediaType)) {
    throw new RegisterUnavailable(`the register answers with media type ${mediaType}`, RETRY_LATER);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new RegisterUnavailable('the register answers with broken JSON', RETRY_LATER, { cause: error });
  }
}

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  let size = 0;
  try {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > LARGEST_BODY) break;
      text += decoder.decode(chunk, { stream: true });
    }
    text += decoder.decode();
  } catch (error) {
    throw new RegisterUnavailable(`the register's answer breaks off: ${causeOf(error)}`, RETRY_LATER, {
      cause: error,
    });
  }
  if (size > LARGEST_BODY) throw new RegisterUnavailable('the register answers with too much', RETRY_LATER);
  return text;
}

/** Seconds or an HTTP date, as RFC 9110 has it; anything else is no wish. */
function readRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(Math.ceil(seconds), 0), MAX_RETRY_AFTER);
}

/** What fetch hides one level down: a code such as ECONNREFUSED. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause ? String(cause.code) : cause.message;
}
