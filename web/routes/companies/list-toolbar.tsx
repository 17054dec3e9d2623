import { useFilters } from '../../client/filters.ts';
import { useMembers } from '../../client/members.ts';
import { useSorting } from '../../client/sorting.ts';
import { DisplayMenu } from '../../components/display-menu.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { useMedia } from '../../components/media.ts';
import { SearchField } from '../../components/search-field.tsx';
import { Toolbar } from '../../components/toolbar.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { ColumnChoice } from './column-choice.tsx';
import { SORTS, type ListSearch } from './list-query.ts';
import { ViewsMenu } from './views-menu.tsx';
import { words } from './words.ts';

/** Search, filters, how the list is shown, and how many there are. */
export function ListToolbar({
  search,
  count,
}: {
  search: ListSearch;
  count: { value: number; isCapped: boolean } | undefined;
}) {
  const said = useWords(words);
  const names = useWords(shared);
  const { members } = useMembers();
  const { set } = useFilters<keyof ListSearch>();
  const sorting = useSorting(SORTS);
  const isPhone = useMedia('phone');
  return (
    <Toolbar count={count}>
      <SearchField label={said.search} value={search.q ?? ''} onChange={(q) => set({ q: q || undefined })} />
      <FilterBar
        filters={[
          {
            name: 'status',
            label: names.status,
            options: Object.entries(names.companyStatus).map(([id, label]) => ({ id, label })),
          },
          {
            name: 'assigned',
            label: names.assignedTo,
            options: [
              { id: 'me', label: said.me },
              { id: 'none', label: names.unassigned },
              ...members.map(({ id, name }) => ({ id, label: name })),
            ],
          },
          {
            name: 'archived',
            label: said.archived,
            options: [
              { id: 'false', label: said.archivedNot },
              { id: 'true', label: said.archivedOnly },
            ],
          },
          { name: 'deleted', label: said.deleted, options: [{ id: 'true', label: said.deletedOnly }] },
        ]}
      />
      <DisplayMenu sorting={sorting}>{!isPhone && <ColumnChoice search={search} />}</DisplayMenu>
      <ViewsMenu search={search} />
    </Toolbar>
  );
}
