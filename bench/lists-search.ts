import { companyList } from '../src/companies/list.ts';
import { findCompany } from '../src/companies/store.ts';
import { contactList, searchedContacts } from '../src/contacts/list.ts';
import { readPage } from '../src/db/listing.ts';
import type { Listing } from '../src/db/listing-shape.ts';
import { numberIn } from '../src/db/search.ts';
import type { Tenant } from '../src/db/tenant.ts';
import { offerList } from '../src/offers/list.ts';
import { taskList } from '../src/tasks/list.ts';
import type { Meter } from './lists-cost.ts';

const MOST_SLOWER = 20;

/** Of the seed's million rows, these find nearly all, many thousand, a few thousand (spread or adjacent), or a few. */
export const SEARCHES: { list: Listing; path?: string; sorts: readonly string[]; words: string }[] = [
  {
    list: companyList,
    path: '/companies',
    sorts: ['id', 'name', '-updated_at'],
    words: `900000777,9001,90012,900123,900 12,as,as norge,bygg,norge,kraft,oslo,oslo bygg,bygg norge,hansen,hansen as,
      hansen norge,n,no,nor,a b,b,bi,bim,fj,fjo,zzzz,foto s`,
  },
  {
    list: contactList,
    path: '/contacts',
    sorts: ['id', 'name', '-updated_at'],
    words: `anne,kari,lars,nora,hansen,berg,kari hansen,hansen kari,kari b,k h,ka,ha,kar,hans,lars.77,+47 90 00,900 12,
      9012,90,9,41234,lars.30000@example.no`,
  },
  { list: taskList, sorts: ['-updated_at'], words: 'ring,kari,norge,kari norge,no,mat' },
  { list: offerList, sorts: ['-updated_at'], words: 'ring,kari,norge,kari norge,no,mat' },
];

/** Measures searches in each list against a read by number, as lines of a table. `only` selects searches. */
export async function measureSearches(options: {
  meter: Meter;
  tenant: Tenant;
  only: RegExp;
  limit: number;
}): Promise<string[][]> {
  const { meter, tenant, only, limit } = options;
  const lines = [SEARCH_HEAD];
  const byNumber = () => tenant.row(findCompany, { orgnr: '900000777' });
  for (const { list, sorts, words } of SEARCHES) {
    for (const q of words.split(/,\s*/)) {
      for (const sort of sorts) {
        if (!only.test([list.title, JSON.stringify({ q }), sort].join(' '))) continue;
        const own = list === contactList ? searchedContacts(q) : { q_number: numberIn(q) };
        const ask = () => readPage(list, tenant, { filters: { q, ...own }, sort, after: undefined, limit });
        lines.push(searchLine([list.title, q, sort], await meter.leastOf([byNumber, ask])));
      }
    }
  }
  return lines;
}

export const SEARCH_HEAD = ['list', 'q', 'sort', 'by number ms', 'ms', 'ratio'];

/** A line of the table: milliseconds of a read by number and of a search. */
export function searchLine(what: readonly string[], [one = 0, page = 0]: readonly number[]): string[] {
  const mark = page / one > MOST_SLOWER ? ' MISSED' : '';
  return [...what, one.toFixed(3), page.toFixed(3), (page / one).toFixed(1) + mark];
}
