import { infiniteQueryOptions } from '@tanstack/react-query';
import { call, type CallResult } from '../../client/call.ts';
import type { Found } from '../../components/combo-box.tsx';

type Company = CallResult<'GET /company-names'>['data']['data'][number];
type Contacts = CallResult<'GET /contacts'>;
type Listed = CallResult<'GET /contacts/rows'>['data']['data'][number];

export type ContactRow = Pick<Listed, 'id' | 'name' | 'updated_at'> & {
  email: string | undefined;
  telephone: string | undefined;
  /** The first few companies. */
  companies: { name: string; role: string | null }[];
  companyCount: number;
};

export const SORTS = ['name', '-updated_at', 'updated_at'] as const;

/** Companies that a row shows: one request then gets the names of all companies on a page. */
const SHOWN_COMPANIES = 2;
const PAGE = 50;
const MAX_IDS = 100;
const MAX_FOUND = 10;
const MAX_PAGES = 5;

/** A list of contacts, read page by page, each with the names of its companies. */
export function contactsQuery({ q, sort }: { q: string; sort: (typeof SORTS)[number] }) {
  return infiniteQueryOptions({
    queryKey: ['contacts', 'list', { q, sort }],
    initialPageParam: '',
    async queryFn({ signal, pageParam: cursor }) {
      const query = { limit: String(PAGE), include: 'points,links' as const, sort, cursor };
      const { data } = await call('GET /contacts/rows', {
        query: { ...query, ...(q === '' ? {} : { q }) },
        signal,
      });
      const shown = data.data.flatMap(({ links = [] }) => links.slice(0, SHOWN_COMPANIES));
      const names = await companiesById(
        shown.map(({ company_id }) => company_id),
        signal,
      );
      return { rows: data.data.map((row) => rowOf(row, names)), next: data.page.next_cursor };
    },
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

function rowOf(
  { id, name, updated_at, points = [], links = [] }: Listed,
  names: Map<string, Company>,
): ContactRow {
  return {
    id,
    name,
    updated_at,
    email: points.find(({ type }) => type === 'email')?.value,
    telephone: points.find(({ type }) => type === 'mobile' || type === 'telephone')?.value,
    companies: links.slice(0, SHOWN_COMPANIES).flatMap(({ company_id, role }) => {
      const company = names.get(company_id);
      return company ? [{ name: company.name, role }] : [];
    }),
    companyCount: links.length,
  };
}

/** Names of companies by id, in as few requests as it takes. */
export async function companiesById(
  ids: readonly string[],
  signal: AbortSignal,
): Promise<Map<string, Company>> {
  const all = [...new Set(ids)];
  const parts = Array.from({ length: Math.ceil(all.length / MAX_IDS) }, (_, at) =>
    all.slice(at * MAX_IDS, (at + 1) * MAX_IDS),
  );
  const answers = await Promise.all(
    parts.map((part) => call('GET /company-names', { query: { ids: part.join(',') }, signal })),
  );
  return new Map(answers.flatMap(({ data }) => data.data.map((company) => [company.id, company] as const)));
}

/**
 * Contacts for a field in which one is chosen: until something is typed, those that changed last.
 * @param without a company whose contacts are left out
 */
export async function searchContacts(
  text: string,
  signal: AbortSignal,
  without?: string,
): Promise<readonly Found[]> {
  const query = {
    include: 'points,links' as const,
    ...(text === '' ? { sort: '-updated_at' as const } : { sort: 'name' as const, q: text }),
  };
  const others: Contacts['data']['data'] = [];
  let cursor: string | undefined = '';
  // The first few hundred contacts may all be left out, as contacts of that company.
  const pages = without === undefined ? 1 : MAX_PAGES;
  for (let page = 0; page < pages && others.length < MAX_FOUND && cursor !== undefined; page++) {
    const { data }: Contacts = await call('GET /contacts', {
      query: { ...query, cursor, limit: String(page === 0 ? MAX_FOUND : 100) },
      signal,
    });
    others.push(
      ...data.data.filter(({ links = [] }) => !links.some(({ company_id }) => company_id === without)),
    );
    cursor = data.page.next_cursor ?? undefined;
  }
  return others.slice(0, MAX_FOUND).map(({ id, name, points = [] }) => ({
    id,
    label: name,
    ...(points[0] ? { detail: points[0].value } : {}),
  }));
}
