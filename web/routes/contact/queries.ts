import { queryOptions } from '@tanstack/react-query';
import { call, type CallResult } from '../../client/call.ts';
import { companiesById } from '../contacts/queries.ts';

export type Contact = CallResult<'GET /contacts/{id}'>['data']['data'];
export type Point = CallResult<'GET /contacts/{id}/points'>['data']['data'][number];
export type PointType = Point['type'];
export type Company = CallResult<'GET /company-names'>['data']['data'][number];
export type Link = CallResult<'GET /contacts/{id}/companies'>['data']['data'][number] & {
  company: Company | undefined;
};

/** A contact with all it owns, and the state that was read. */
export type Whole = { contact: Contact; etag: string | undefined; points: Point[]; links: Link[] };

export function contactQuery(id: string) {
  return queryOptions<Whole>({
    queryKey: ['contacts', 'one', id],
    async queryFn({ signal }): Promise<Whole> {
      const params = { id };
      const [contact, points, links] = await Promise.all([
        call('GET /contacts/{id}', { params, signal }),
        call('GET /contacts/{id}/points', { params, signal }),
        call('GET /contacts/{id}/companies', { params, signal }),
      ]);
      const linked = links.data.data;
      const companies = await companiesById(
        linked.map(({ company_id }) => company_id),
        signal,
      );
      return {
        contact: contact.data.data,
        etag: contact.etag,
        points: points.data.data,
        links: linked.map((link) => ({ ...link, company: companies.get(link.company_id) })),
      };
    },
    // Another contact must not be shown here meanwhile.
    placeholderData: (old) => (old?.contact.id === id ? old : undefined),
  });
}

/** Shows a detail, or a link, that was stored, until the contact has been read again. */
export function withRow<Row extends { id: number }>(rows: readonly Row[], row: Row): Row[] {
  return [...rows.filter(({ id }) => id !== row.id), row].toSorted((one, other) => one.id - other.id);
}

/** The most addresses that are looked up: one person rarely has more. */
const MAX_ADDRESSES = 3;

/** Other contacts with one of these email addresses. */
export function duplicatesQuery(id: string, points: readonly Point[]) {
  const emails = points.flatMap(({ type, value }) => (type === 'email' ? [value.toLowerCase()] : []));
  const asked = [...new Set(emails)].slice(0, MAX_ADDRESSES);
  return queryOptions({
    queryKey: ['contacts', 'duplicates', id, asked],
    async queryFn({ signal }) {
      const answers = await Promise.all(
        asked.map((email) => call('GET /contacts', { query: { email, limit: '4' }, signal })),
      );
      const others = answers.flatMap(({ data }) => data.data).filter((other) => other.id !== id);
      return [...new Map(others.map((other) => [other.id, other])).values()];
    },
    enabled: asked.length > 0,
    placeholderData: () => undefined,
  });
}

/** Companies whose work is shown beside a contact. */
const MAX_COMPANIES = 3;
const MOST = '5';

/** What is going on with the companies of a contact: the newest offers, and open tasks by due date. */
export function relatedQuery(links: readonly Link[]) {
  const companies = [...new Map(links.map(({ company }) => [company?.id, company])).values()]
    .filter((company) => company !== undefined)
    .filter(({ is_deleted }) => !is_deleted)
    .slice(0, MAX_COMPANIES);
  return queryOptions({
    queryKey: ['contacts', 'related', companies.map(({ id }) => id)],
    async queryFn({ signal }) {
      const all = await Promise.all(
        companies.map(async ({ id, name, orgnr }) => {
          const [offers, tasks] = await Promise.all([
            call('GET /offers', { query: { company_id: id, sort: '-updated_at', limit: MOST }, signal }),
            call('GET /tasks', {
              query: { company_id: id, completed: 'false', sort: 'due_date', limit: MOST },
              signal,
            }),
          ]);
          return {
            offers: offers.data.data.map((offer) => ({ ...offer, company: name })),
            tasks: tasks.data.data.map((task) => ({ ...task, company: name, orgnr })),
          };
        }),
      );
      return {
        offers: all.flatMap(({ offers }) => offers),
        tasks: all.flatMap(({ tasks }) => tasks).toSorted((a, b) => (a.due_date < b.due_date ? -1 : 1)),
      };
    },
    enabled: companies.length > 0,
    placeholderData: () => undefined,
  });
}
