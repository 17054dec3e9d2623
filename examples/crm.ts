// What the three programs share: a client made from the description of the interface, which retries.
import createClient from 'openapi-fetch';
import { setTimeout as sleep } from 'node:timers/promises';
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

export function createCrm({ address, key, attempts = 6, fetch: send = fetch }: Options) {
  return createClient<paths>({
    baseUrl: address,
    headers: { authorization: `Bearer ${key}` },
    fetch: (request) => sendUntilAnswered(request, { attempts, send }),
  });
}

/** The client with the address and key that the environment holds. */
export function crmFromEnvironment(): Crm {
  const { CRM_ADDRESS: address, CRM_KEY: key } = process.env;
  if (!address || !key) throw new Error('Set CRM_ADDRESS (with /api/v1) and CRM_KEY');
  return createCrm({ address, key });
}

/** What a call answers. @throws CrmError for every answer that is an error */
export async function expectData<T>(
  call: Promise<{ data?: T; error?: Partial<Schemas['Problem']>; response: Response }>,
): Promise<T> {
  const { data, error, response } = await call;
  if (data === undefined) throw new CrmError(response, error);
  return data;
}

/** Repeats what may pass. A POST must carry an id or an Idempotency-Key, or it may be carried out twice. */
async function sendUntilAnswered(
  request: Request,
  { attempts, send }: Required<Pick<Options, 'attempts'>> & { send: typeof fetch },
): Promise<Response> {
  for (let attempt = 1; ; attempt++) {
    let wait = 2 ** (attempt - 1) * (0.75 + Math.random() / 2);
    try {
      const response = await send(request.clone());
      const after = response.headers.get('retry-after');
      // 429, 503 and 409 request_in_progress say how long to wait.
      const passes = after !== null || response.status === 408 || response.status >= 500;
      if (!passes || attempt === attempts) return response;
      wait = Math.max(wait, Number(after));
      await response.body?.cancel();
    } catch (error) {
      if (attempt === attempts) throw error;
    }
    await sleep(wait * 1000);
  }
}
