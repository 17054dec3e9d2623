import { randomUUIDv7 } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { listCompanies, findCompany } from '../src/companies/store.ts';
import { insertContact } from '../src/contacts/store.ts';
import { connect } from '../src/db/connect.ts';
import { valuesOf, type Statement } from '../src/db/statement.ts';
import type { Caller } from '../src/http/endpoint.ts';
import { keyDirectory } from '../src/keys/directory.ts';
import { OFFER_CHANGEABLE } from '../src/offers/schema.ts';
import { findOffer, updateOffer } from '../src/offers/store.ts';

/**
 * A server written by hand, to measure what the same answers cost there: node:http, the same statements as pg's own
 * queries on the same kind of pool, and the same key look-up. It has no validation, limits, log, request ids or errors,
 * and is never to be used as a service.
 */
const url = process.env.DATABASE_URL!;
const { pool, ...db } = connect({ url, connections: 10, onIdleError: () => {} });
const keys = keyDirectory(db, url);

// The form of the statement for changes that leave the title as it is: the bench changes no title.
const patchOfferStatement = updateOffer.lean!.statement;
// Which value each of $1, $2, … takes, read once: requests only fill in an array, as a hand-written call would.
const offerValues = placesOf(patchOfferStatement);
const listValues = placesOf(listCompanies);
const contactValues = placesOf(insertContact);

async function answer(caller: Caller, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = request.url!.slice('/api/v1'.length);
  const tenant = caller.tenant.id;
  if (path === '/me') {
    const { userId, permissions } = caller;
    send(response, 200, { data: { tenant_id: tenant, user_id: userId, permissions } });
  } else if (path.startsWith('/companies/')) {
    const [company] = await rows(findCompany, [tenant, path.slice('/companies/'.length)]);
    send(response, company ? 200 : 404, { data: company });
  } else if (path.startsWith('/companies')) {
    const limit = 25;
    const given: Record<string, unknown> = { tenant, limit: limit + 1, offset: 0 };
    const found = await rows(listCompanies, fill(listValues, given));
    const page = { size: limit, offset: 0, has_more: found.length > limit };
    send(response, 200, { data: found.length > limit ? found.slice(0, limit) : found, page });
  } else if (path === '/contacts') {
    const { name, notes } = await bodyOf(request);
    const given = { ...changeOf(caller), id: randomUUIDv7(), name, notes };
    const [contact] = await rows(insertContact, fill(contactValues, given));
    send(response, 201, { data: contact });
  } else {
    await patchOffer(caller, path.slice('/offers/'.length), request, response);
  }
}

async function patchOffer(
  caller: Caller,
  id: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await bodyOf(request);
  const [seen] = body.status ? await rows(findOffer, [caller.tenant.id, id]) : [];
  const given: Record<string, unknown> = {
    ...changeOf(caller),
    id,
    seen_status: seen?.status ?? null,
    if_match: null,
  };
  for (const field of OFFER_CHANGEABLE) {
    given[field] = body[field] ?? null;
    given[`has_${field}`] = field in body;
  }
  const [offer] = await rows(patchOfferStatement, fill(offerValues, given));
  send(response, offer ? 200 : 404, { data: offer });
}

async function rows<P extends object, Row>(statement: Statement<P, Row>, values: unknown[]): Promise<Row[]> {
  return (await pool.query({ name: statement.name, text: statement.text, values })).rows;
}

/** What the change log says of the change. */
function changeOf({ id, tenant, userId }: Caller): Record<string, unknown> {
  return { tenant: tenant.id, actor_kind: 'key', actor_id: id, author_id: userId, request_id: 'floor' };
}

function fill(places: unknown[], given: Record<string, unknown>): unknown[] {
  return places.map((place) => (typeof place === 'string' && place in given ? given[place] : place));
}

function bodyOf(request: IncomingMessage): Promise<Record<string, unknown>> {
  const { promise, resolve } = Promise.withResolvers<Record<string, unknown>>();
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>));
  return promise;
}

function send(response: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(text),
  });
  response.end(text);
}

function placesOf<P extends object>(statement: Statement<P, unknown>): unknown[] {
  const names = new Proxy({}, { get: (_, name) => name }) as P;
  return valuesOf(statement, names);
}

const server = createServer((request, response) => {
  if (request.url === '/healthz') return send(response, 200, {});
  const token = request.headers.authorization!.slice('Bearer '.length);
  const known = keys.recall(token);
  if (known) void answer(known, request, response);
  else void lookUp(token).then((caller) => answer(caller, request, response));
});
async function lookUp(token: string) {
  const caller = await keys.lookUp(token, () => true);
  if (caller === null || caller === 'refused') throw new Error('the key of the bench is not valid');
  return caller;
}

server.listen(Number(process.env.PORT), process.env.HOST);
process.on('SIGTERM', () => process.exit());
