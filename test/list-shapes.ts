import { companyList } from '../src/companies/list.ts';
import { noteList, timelineList } from '../src/companies/timeline-list.ts';
import { contactList } from '../src/contacts/list.ts';
import { sievesOf } from '../src/db/listing-parts.ts';
import { compileCount, compileList } from '../src/db/listing-statement.ts';
import type { Listing, Shape } from '../src/db/listing-shape.ts';
import { cardList } from '../src/offers/cards.ts';
import { offerList } from '../src/offers/list.ts';
import { taskList } from '../src/tasks/list.ts';

const LISTS: Listing[] = [companyList, contactList, taskList, offerList, cardList, noteList, timelineList];

/** Compiles what lists can be asked with one filter or none, in each sort and each way of finding the page. */
export function compileShapes(): void {
  for (const list of LISTS) {
    for (const filters of [
      [],
      ...[...Object.keys(list.equal), ...Object.keys(list.sieves)].map((name) => [name]),
    ]) {
      for (const sort of ['id', ...Object.keys(list.sorts)]) {
        const [sieve] = sievesOf(list, { filters, sort });
        for (const by of waysOf(list, sieve, sort)) {
          for (const goesOn of [false, true]) compileList(list, { filters, sort, goesOn, ...(by && { by }) });
        }
        compileCount(list, filters, sieve);
      }
    }
  }
}

function waysOf({ sieves, sorts }: Listing, name: string | undefined, sort: string): Shape['by'][] {
  if (name === undefined) return [undefined];
  const { isUnsorted, checksId } = sieves[name]!;
  const among = [
    { among: name },
    { endAmong: name },
    { among: name, isByWord: true } as const,
    { endAmong: name, isByWord: true } as const,
  ];
  return [
    'looking',
    'end',
    { matchesOf: name },
    ...(isUnsorted || checksId ? [{ walking: name }] : []),
    ...(isUnsorted ? [{ matchesOf: name, areSure: true } as const, ...among] : []),
    ...(isUnsorted && sorts[sort]?.type === 'text' ? [{ beginning: name }] : []),
  ];
}
