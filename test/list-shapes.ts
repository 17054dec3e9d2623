import { compileCount, compileList } from '../src/db/listing-statement.ts';
import { sievesOf, type Listing, type Shape } from '../src/db/listing-shape.ts';

/** The lists among the exports of modules. */
export function listsOf(modules: readonly object[]): Listing[] {
  return modules.flatMap((exported) => Object.values(exported)).filter(isListing);
}

function isListing(value: unknown): value is Listing {
  return typeof value === 'object' && value !== null && 'sorts' in value && 'sieves' in value;
}

/** Compiles the statements of lists with one filter or none, for each sort and each way of finding the page. */
export function compileShapes(lists: readonly Listing[]): void {
  for (const list of lists) {
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
  const { isUnsorted, checksId, ordered } = sieves[name]!;
  const among = [{ among: name }, { among: name, isByWord: true } as const];
  return [
    'looking',
    { matchesOf: name },
    ...(isUnsorted || checksId ? [{ walking: name }] : []),
    ...(ordered && sort in sorts ? [{ orderedBy: name }] : []),
    ...(isUnsorted ? [{ matchesOf: name, areSure: true } as const, ...among] : []),
    ...(isUnsorted && sorts[sort]?.type === 'text' ? [{ beginning: name }] : []),
  ];
}
