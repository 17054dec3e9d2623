import { arrayBuffer } from 'node:stream/consumers';
import { currentWork } from '../../tracing/work.ts';
import { RegisterUnavailable } from '../register.ts';

/** The Retry-After for clients when the register sends none. */
export const RETRY_AFTER_SECONDS = 5;

/** The longest Retry-After that is passed on. */
export const MAX_RETRY_AFTER_SECONDS = 300;

/** A unit is about 2 kB, a page of a feed 350 kB. Counted after decompression. */
const MAX_BODY_BYTES = 1024 * 1024;

/** The statuses whose body is part of the answer. */
const STATUSES_WITH_BODY = new Set([200, 404, 410]);

/** Errors that do not go away by waiting. */
const UNREACHABLE = new Set(['ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'ENOTFOUND', 'EAI_AGAIN']);

export type RegisterResponse = {
  status: number;
  /** Parsed JSON; undefined where the body is empty or not read. */
  body: unknown;
  /** The register's Retry-After in whole seconds. */
  retryAfterSeconds: number | null;
};

type RegisterRequest = { url: string; accept: string; userAgent: string; signal: AbortSignal };

/**
 * Sends one GET. Redirects are not followed.
 * @throws {RegisterUnavailable} when there is no complete answer, or its body is not JSON or too large
 */
export async function get(request: RegisterRequest): Promise<RegisterResponse> {
  const part = currentWork.getStore()?.span?.startCall(request.url);
  try {
    const response = await send(request);
    part?.end({ status: response.status });
    return response;
  } catch (error) {
    part?.end({ error });
    throw error;
  }
}

async function send(request: RegisterRequest): Promise<RegisterResponse> {
  const response = await fetch(request.url, {
    headers: { accept: request.accept, 'user-agent': request.userAgent },
    redirect: 'manual',
    signal: request.signal,
  }).catch((cause: unknown) => {
    throw unavailable(`the register does not answer: ${describeFault(cause)}`, cause);
  });
  const { status } = response;
  const retryAfterSeconds = readRetryAfter(response.headers.get('retry-after'));
  if (STATUSES_WITH_BODY.has(status)) return { status, body: await readJson(response), retryAfterSeconds };
  await response.body?.cancel().catch(() => undefined);
  return { status, body: undefined, retryAfterSeconds };
}

async function readJson(response: Response): Promise<unknown> {
  const text = await readText(response).catch((cause: unknown) => {
    if (cause instanceof RegisterUnavailable) throw cause;
    throw unavailable(`the register's answer breaks off: ${describeFault(cause)}`, cause);
  });
  if (text === '') return undefined;
  const mediaType = response.headers.get('content-type') ?? 'none';
  if (!/^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(mediaType)) {
    throw unavailable(`the register answers with media type ${mediaType}`);
  }
  try {
    return JSON.parse(text) as unknown;
  } catch (cause) {
    throw unavailable('the register answers with broken JSON', cause);
  }
}

async function readText(response: Response): Promise<string> {
  let size = 0;
  async function* limited(): AsyncGenerator<Uint8Array> {
    for await (const chunk of response.body ?? []) {
      size += chunk.byteLength;
      if (size > MAX_BODY_BYTES) throw unavailable('the register answers with too much');
      yield chunk;
    }
  }
  return new TextDecoder('utf-8', { fatal: true }).decode(await arrayBuffer(limited()));
}

/** Reads seconds or an HTTP date (RFC 9110); null for anything else. */
function readRetryAfter(value: string | null): number | null {
  if (value === null) return null;
  const seconds = /^\d+$/.test(value) ? Number(value) : (Date.parse(value) - Date.now()) / 1_000;
  if (Number.isNaN(seconds)) return null;
  return Math.min(Math.max(Math.ceil(seconds), 0), MAX_RETRY_AFTER_SECONDS);
}

function unavailable(reason: string, cause?: unknown): RegisterUnavailable {
  return cause instanceof RegisterUnavailable
    ? cause
    : new RegisterUnavailable(reason, RETRY_AFTER_SECONDS, { cause });
}

/** The reason of a failed fetch, which is in its cause: a code such as ECONNRESET, and what to do about it. */
export function describeFault(error: unknown): string {
  const code = codeOf(error);
  return UNREACHABLE.has(code) ? `${code}: check REGISTER_URL and the network` : code;
}

export function isUnreachable(error: unknown): boolean {
  return UNREACHABLE.has(codeOf(error));
}

function codeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  if (!(cause instanceof Error)) return String(cause);
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message;
}
