import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { gzipSync } from 'node:zlib';
import { changesPage, type RegisterChange } from './register-changes.ts';
import type { Misbehaviour, RightAnswer } from './register-misbehaviour.ts';
import { searchText } from '../src/register/search-text.ts';
import { fullRecord, isSubUnit, type RegisterRecord } from './register-records.ts';

const ROOT = '/enhetsregisteret/api';

/** What the register says of itself; in no list and no feed, so that tests count without it. */
const OWN: RegisterRecord = { ...fullRecord('974760673'), navn: 'REGISTERENHETEN I BRØNNØYSUND' };

type Kind = 'enheter' | 'underenheter';

type SeenRequest = {
  method: string;
  /** Path and query behind the API's root, such as /enheter/310211036; the whole path outside it. */
  path: string;
  accept: string | undefined;
  userAgent: string | undefined;
  /** When it came, in the milliseconds of performance.now(). */
  at: number;
};

export type RegisterServer = {
  baseUrl: string;
  /** Everything asked so far, oldest first. */
  requests: SeenRequest[];
  /** Puts records in, in place of those with the same number. */
  hold(...records: RegisterRecord[]): void;
  /** Takes a number out on legal grounds: 410 from now on. `on` null leaves the body empty. */
  remove(orgnr: string, on: string | null, kind?: Kind): void;
  /** Adds an entry to a feed under the next id; ids have gaps. Returns the id. */
  announce(change: Omit<RegisterChange, 'oppdateringsid'>, kind?: Kind): number;
  /**
   * Lets requests go wrong, the latest order first.
   * @param where.path only where the path holds this; `/enheter` does not match /underenheter
   * @param where.times only so many requests, then all is well again
   */
  misbehave(how: Misbehaviour, where?: { path?: string; times?: number }): void;
  /** Ends all misbehaviour. */
  behave(): void;
  stop(): Promise<void>;
};

/** A stand-in that speaks the national register's protocol, on a free port of this machine. */
export async function startRegisterServer(): Promise<RegisterServer> {
  const state = new State();
  const requests: SeenRequest[] = [];
  let disorders: { how: Misbehaviour; path: string; times: number }[] = [];

  const server = createServer((request, response) => {
    const path = (request.url ?? '').replace(ROOT, '');
    requests.push({
      method: request.method ?? '',
      path,
      accept: request.headers.accept,
      userAgent: request.headers['user-agent'],
      at: performance.now(),
    });
    const right = state.answer(request);
    const disorder = disorders.find((order) => order.times > 0 && path.includes(order.path));
    if (!disorder) return send(response, right);
    disorder.times -= 1;
    void disorder.how({ request, response, right });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the stand-in has no port');

  return {
    baseUrl: `http://127.0.0.1:${address.port}${ROOT}`,
    requests,
    hold: (...records) => state.hold(records),
    remove: (orgnr, on, kind = 'enheter') => void state.removed[kind].set(orgnr, on),
    announce: (change, kind = 'enheter') => state.announce(change, kind),
    misbehave(how, where = {}) {
      disorders = [{ how, path: where.path ?? '', times: where.times ?? Infinity }, ...disorders];
    },
    behave() {
      disorders = [];
    },
    async stop() {
      const { promise, resolve } = Promise.withResolvers<void>();
      server.close(() => resolve());
      server.closeAllConnections();
      await promise;
    },
  };
}

/** What the register holds, and what it rightly answers. */
class State {
  readonly records = {
    enheter: new Map<string, RegisterRecord>(),
    underenheter: new Map<string, RegisterRecord>(),
  };
  readonly removed = {
    enheter: new Map<string, string | null>(),
    underenheter: new Map<string, string | null>(),
  };
  readonly changes: Record<Kind, RegisterChange[]> = { enheter: [], underenheter: [] };
  #lastChange = 24_720_423;

  hold(records: RegisterRecord[]): void {
    for (const record of records) {
      this.records[isSubUnit(record) ? 'underenheter' : 'enheter'].set(record.organisasjonsnummer, record);
    }
  }

  announce(change: Omit<RegisterChange, 'oppdateringsid'>, kind: Kind): number {
    this.#lastChange += 2;
    this.changes[kind].push({ oppdateringsid: this.#lastChange, ...change });
    return this.#lastChange;
  }

  answer(request: IncomingMessage): RightAnswer {
    const url = new URL(request.url ?? '', 'http://register.invalid');
    const [kind, last, more] = url.pathname.replace(`${ROOT}/`, '').split('/');
    if (kind === 'oppdateringer' && isKind(last) && more === undefined) {
      const page = changesPage(this.changes[last], last, url.searchParams);
      return page ? json(200, page, 'application/json') : malformed(url, 'size');
    }
    if (!isKind(kind) || more !== undefined) return empty(404);
    if (last === undefined) return this.#search(kind, request.headers.accept, url);
    if (last === 'lastned') return this.#everything(kind, request.headers.accept);
    return this.#unit(kind, last, request.headers.accept, url);
  }

  #unit(kind: Kind, orgnr: string, accept: string | undefined, url: URL): RightAnswer {
    const type = mediaType(kind, 'json');
    if (accept !== type) return empty(406);
    if (!/^\d{9}$/.test(orgnr)) return malformed(url, 'organisasjonsnummer');

    const removedOn = this.removed[kind].get(orgnr);
    if (removedOn === null) return empty(410);
    if (removedOn !== undefined) {
      return json(410, { organisasjonsnummer: orgnr, slettedato: removedOn, _links: {} }, type);
    }
    const record =
      this.records[kind].get(orgnr) ??
      (kind === 'enheter' && orgnr === OWN.organisasjonsnummer ? OWN : undefined);
    return record ? json(200, record, type) : empty(404);
  }

  /** Active units whose names have all the words of `navn` from their start. */
  #search(kind: Kind, accept: string | undefined, url: URL): RightAnswer {
    const type = mediaType(kind, 'json');
    if (accept !== type) return empty(406);
    const size = Number(url.searchParams.get('size') ?? 20);
    if (!(size > 0 && size <= 10_000)) return malformed(url, 'size');
    const words = searchText(url.searchParams.get('navn') ?? '').split(' ');
    const own = kind === 'enheter' ? [OWN] : [];
    const fitting = [...this.records[kind].values(), ...own].filter((record) => {
      const name = ` ${searchText(String(record['navn']))}`;
      return record['slettedato'] === undefined && words.every((word) => name.includes(` ${word}`));
    });
    const page = {
      size,
      totalElements: fitting.length,
      totalPages: Math.ceil(fitting.length / size),
      number: 0,
    };
    const _embedded = { [kind]: fitting.slice(0, size) };
    return json(200, { ...(fitting.length > 0 && { _embedded }), _links: {}, page }, type);
  }

  #everything(kind: Kind, accept: string | undefined): RightAnswer {
    const type = mediaType(kind, 'gzip');
    if (accept !== type) return empty(406);
    const known = this.records[kind].values();
    const active = known.filter((record) => record['slettedato'] === undefined);
    const body = gzipSync(JSON.stringify(active.toArray(), null, 2));
    return { status: 200, headers: { 'content-type': `${type};charset=UTF-8` }, body };
  }
}

function mediaType(kind: Kind, format: 'json' | 'gzip'): string {
  return `application/vnd.brreg.enhetsregisteret.${kind.replace(/er$/, '')}.v2+${format}`;
}

function isKind(name: string | undefined): name is Kind {
  return name === 'enheter' || name === 'underenheter';
}

function json(status: number, body: object, type: string): RightAnswer {
  const headers = { 'content-type': `${type};charset=UTF-8` };
  return { status, headers, body: Buffer.from(JSON.stringify(body)) };
}

function empty(status: number): RightAnswer {
  return { status, headers: {}, body: Buffer.alloc(0) };
}

function malformed(url: URL, parameter: string): RightAnswer {
  const fault = { feilmelding: 'Ugyldig verdi', parametere: [parameter], feilaktigVerdi: url.pathname };
  const body = {
    tidsstempel: 1776086343349,
    status: 400,
    feilmelding: 'Feilaktig forespørsel',
    valideringsfeil: [fault],
    sti: url.pathname,
    antallFeil: 1,
  };
  return json(400, body, 'application/json');
}

function send(response: ServerResponse, { status, headers, body }: RightAnswer): void {
  response.writeHead(status, headers).end(body);
}
