import { useFilters } from './filters.ts';

/** How a list is sorted, and how else it can be. */
export type Sorting<Sort extends string = string> = {
  /** A value of the list's `sort` parameter, with - for descending. */
  by: Sort;
  /** All that the service offers; of the two directions of a column, the one wanted more often comes first. */
  sorts: readonly Sort[];
  set: (sort: string) => void;
};

/** The sort that an address asks for. The first of `sorts` is the default, which an address does not state. */
export function useSorting<Sort extends string>(sorts: readonly Sort[]): Sorting<Sort> {
  const { values, set } = useFilters<'sort'>();
  return {
    by: sortIn(sorts, values.sort),
    sorts,
    set: (sort) => set({ sort: sort === sorts[0] ? undefined : sort }),
  };
}

export function sortIn<Sort extends string>(sorts: readonly Sort[], value: string | undefined): Sort {
  return sorts.find((sort) => sort === value) ?? sorts[0]!;
}
