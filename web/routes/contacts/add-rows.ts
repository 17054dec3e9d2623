import { call, type CallOptions } from '../../client/call.ts';
import { addOrCorrect, type Tries } from '../../client/create-unless-there.ts';

type Sent = Pick<Tries, 'keyOf' | 'othersSent' | 'newestBefore'>;
type Link = Required<CallOptions<'POST /contacts/{id}/companies'>['body']>;
type Point = Required<CallOptions<'POST /contacts/{id}/points'>['body']>;

/**
 * Links a contact to a company through `addOrCorrect`. If the company was changed since an earlier try, another link is
 * added.
 * @returns the link's id
 */
export function addLink(contact: string, body: Link, tries: Sent): Promise<number> {
  const params = { id: contact };
  return addOrCorrect({ contact, ...body }, tries, {
    rows: `${contact} ${body.company_id}`,
    add: (idempotencyKey) => call('POST /contacts/{id}/companies', { params, body, idempotencyKey }),
    async list() {
      const { data } = await call('GET /contacts/{id}/companies', { params });
      return data.data
        .filter(({ company_id }) => company_id === body.company_id)
        .map((link) => ({ contact, ...link }));
    },
    correct: (id) =>
      call('PATCH /contacts/{id}/companies/{linkId}', {
        params: { ...params, linkId: String(id) },
        body: { role: body.role },
      }),
  });
}

/** Adds a detail to a contact through `addOrCorrect`. @returns the detail's id */
export function addPoint(contact: string, body: Point, tries: Sent): Promise<number> {
  const params = { id: contact };
  return addOrCorrect(body, tries, {
    rows: contact,
    add: (idempotencyKey) => call('POST /contacts/{id}/points', { params, body, idempotencyKey }),
    list: async () => (await call('GET /contacts/{id}/points', { params })).data.data,
    correct: (id) =>
      call('PATCH /contacts/{id}/points/{pointId}', { params: { ...params, pointId: String(id) }, body }),
  });
}
