// What the programs share: a client made from the description of the API. It repeats requests that failed.
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import createClient from 'openapi-fetch';
import type { components, paths } from './schema.d.ts';

export type Schemas = components['schemas'];
export type Crm = ReturnType<typeof createCrm>;

type Options = {
  /** With /api/v1. */
  address: string;
  /** The API key. */
  key: string;
  /** How often a request is sent at most. */
  attempts?: number;
  /** The longest wait for another attempt, in seconds, an hour by default; short where a person waits. */
  patience?: number;
  fetch?: typeof fetch;
};

/** An answer that is an error, with its `code` for programs and its sentence for people. */
export class CrmError extends Error {
  readonly status: number;
  readonly code: string;
  readonly details: { field: string; message: string }[];

  constructor(response: Response, problem: Partial<Schemas['Problem']> | undefined) {
    super(problem?.error ?? `The CRM answered ${response.status}`);
    this.status = response.status;
    this.code = problem?.code ?? 'unknown';
    this.details = problem?.details ?? [];
  }
}

export function createCrm({ address, key, attempts = 6, patience = 3600, fetch: send = fetch }: Options) {
  return createClient<paths>({
    baseUrl: address,
    headers: { authorization: `Bearer ${key}` },
    fetch: (request) => sendUntilAnswered(request, { attempts, patience, send }),
  });
}

/** The client with the address and key that the environment holds. */
export function crmFromEnvironment(options: Partial<Options> = {}): Crm {
  const address = setting('CRM_ADDRESS', 'the address of the API, with /api/v1');
  return createCrm({ address, key: setting('CRM_KEY', 'an API key'), ...options });
}

/** What the environment holds under a name. @throws when it holds nothing */
export function setting(name: string, meaning: string): string {
  const value = process.env[name];
  if (!value) throw new Error(`Set ${name} to ${meaning}`);
  return value;
}

/** What a call answers. @throws CrmError for every answer that is an error */
export async function expectData<T>(
  call: Promise<{ data?: T; error?: Partial<Schemas['Problem']>; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw new CrmError(response, error);
  return data;
}

/** The id under which people have a contact now, after merges; undefined where it was erased. @throws CrmError */
export async function followMerges(crm: Crm, id: string): Promise<string | undefined> {
  const { error, response } = await crm.GET('/contacts/{id}', { params: { path: { id } } });
  if (response.ok) return id;
  if (error?.code !== 'not_found') throw new CrmError(response, error);
  const into = error.details?.find(({ field }) => field === 'merged_into')?.message;
  return into === undefined ? undefined : followMerges(crm, into);
}

/** The same UUID for the same words, in every process and after every restart. */
export function stableId(...from: (string | number)[]): string {
  const hex = createHash('sha256').update(JSON.stringify(from)).digest('hex');
  return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-8$3-8$4-$5');
}

/** Repeats what may succeed later. A POST must carry an id or an Idempotency-Key, or it may be carried out twice. */
async function sendUntilAnswered(
  request: Request,
  { attempts, patience, send }: { attempts: number; patience: number; send: typeof fetch },
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    let wait = 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
    const isLast = () => attempt === attempts || wait > patience;
    try {
      const response = await send(request.clone());
      // 429, 503 and 409 request_in_progress say how long to wait.
      const after = response.headers.get('retry-after');
      wait = Math.max(wait, secondsUntil(after));
      const mayPass = !response.ok && (after !== null || response.status === 408 || response.status >= 500);
      // The connection may break after the status, in the middle of the body.
      const body = await response.clone().arrayBuffer();
      // Not from the service, whose answers have a body; a proxy without a route may answer like this.
      if (response.ok && response.status !== 204 && body.byteLength === 0) {
        throw new Error(`The answer ${response.status} has no body`);
      }
      if (!mayPass || isLast()) return response;
      await response.body?.cancel();
    } catch (error) {
      if (isLast()) throw error;
    }
    await sleep(wait * 1000);
  }
}

/** `Retry-After` in seconds: proxies send a date, too. */
function secondsUntil(after: string | null): number {
  const seconds = Number(after);
  return Number.isNaN(seconds) ? (Date.parse(after!) - Date.now()) / 1000 || 0 : seconds;
}
