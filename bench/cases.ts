import type { BenchWorkspace } from './seed.ts';
import { offerId, orgNr } from './seed.ts';

/** What autocannon sends; `setupRequest` changes it before each request. */
export type Sent = {
  method: 'GET' | 'POST' | 'PATCH';
  path: string;
  headers?: Record<string, string>;
  body?: string;
  setupRequest?: (request: Sent) => Sent;
};

const JSON_BODY = { 'content-type': 'application/json' };

/** The cases, in the order of the report. */
export const REQUESTS = {
  'GET /me': () => ({ method: 'GET', path: '/api/v1/me' }),
  'GET company by number': ({ companies }) => ({
    method: 'GET',
    path: '/api/v1/companies/0',
    setupRequest: (request) => ({ ...request, path: `/api/v1/companies/${orgNr(upTo(companies))}` }),
  }),
  'GET companies, 25': () => ({ method: 'GET', path: '/api/v1/companies?limit=25' }),
  'POST contact': () => ({
    method: 'POST',
    path: '/api/v1/contacts',
    headers: JSON_BODY,
    body: JSON.stringify({
      name: 'Kari Nordmann',
      notes: 'Møtt på messen i Ålesund; vil ha tilbud før jul.',
    }),
  }),
  'PATCH offer': ({ offers }) =>
    patchOffer(offers, () => ({ one_time_revenue: upTo(1_000_000), weight: upTo(99) })),
  // The status that the offers have already: if it changed, of two requests for one offer at once one would get 409.
  'PATCH offer, status': ({ offers }) => patchOffer(offers, () => ({ status: 'sent', weight: upTo(99) })),
} satisfies Record<string, (workspace: BenchWorkspace) => Sent>;

export type CaseName = keyof typeof REQUESTS;

export const CASES = Object.keys(REQUESTS) as CaseName[];

function patchOffer(offers: number, body: () => object): Sent {
  return {
    method: 'PATCH',
    path: '/api/v1/offers/0',
    headers: JSON_BODY,
    setupRequest: (request) => ({
      ...request,
      path: `/api/v1/offers/${offerId(upTo(offers))}`,
      body: JSON.stringify(body()),
    }),
  };
}

function upTo(most: number): number {
  return 1 + Math.floor(Math.random() * most);
}
