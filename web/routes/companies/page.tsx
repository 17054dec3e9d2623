import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { useFilters } from '../../client/filters.ts';
import { useNextPage } from '../../client/next-page.ts';
import type { Prefetch } from '../../client/prefetch.ts';
import { useSession } from '../../client/session.ts';
import { useSorting } from '../../client/sorting.ts';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ExportMenuItem } from '../../components/export-menu-item.tsx';
import { Menu } from '../../components/menu.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { HeldKeys } from '../../frame/held-keys.tsx';
import { lazyPart } from '../../frame/lazy-part.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { BulkBar } from './bulk-bar.tsx';
import { useColumns } from './columns.tsx';
import { countQuery, listQuery, rowsQuery, SORTS, type ListSearch } from './list-query.ts';
import { ListToolbar } from './list-toolbar.tsx';
import { NoCompanies } from './no-companies.tsx';
import { PhoneRow } from './phone-row.tsx';
import { useCompanyRows } from './use-rows.ts';
import { useSelection } from './use-selection.ts';
import { words } from './words.ts';
import './companies.css';

export const prefetch: Prefetch = ({ client, search, userId }) => {
  void client.prefetchInfiniteQuery(rowsQuery(search, userId));
  void client.prefetchQuery(countQuery(search, userId));
};

const AddDialog = lazyPart(async () => (await import('./add-dialog.tsx')).AddDialog);

export function CompaniesPage() {
  const said = useWords(words);
  const names = useWords(shared);
  const { user } = useSession();
  const { values: search } = useFilters<keyof ListSearch>();
  const [isAdding, setIsAdding] = useState(false);
  const list = useCompanyRows(search);
  const { data: counted } = useQuery(countQuery(search, user.id));
  const selection = useSelection(list, JSON.stringify(search));
  useNextPage(list, selection.isPartial);
  const add = () => setIsAdding(true);
  const close = () => setIsAdding(false);
  useCommands([{ id: 'companies.add', label: said.add, group: names.companies, keys: 'n', run: add }]);
  const count = counted?.data.data;
  return (
    <Page
      title={names.companies}
      actions={
        <>
          <Menu label={names.more}>
            <ExportMenuItem list="companies" query={listQuery(search, user.id)} />
          </Menu>
          <Button kind="primary" icon="plus" onPress={add}>
            {said.add}
          </Button>
        </>
      }
      toolbar={
        selection.rows.length > 0 ? (
          <BulkBar rows={selection.rows} onClear={selection.clear} />
        ) : (
          <ListToolbar
            search={search}
            count={
              typeof count?.count === 'number' ? { value: count.count, isCapped: count.has_more } : undefined
            }
          />
        )
      }
    >
      <CompanyTable search={search} list={list} selection={selection} onAdd={add} />
      <Suspense fallback={<HeldKeys onClose={close} />}>{isAdding && <AddDialog onClose={close} />}</Suspense>
    </Page>
  );
}

function CompanyTable({
  search,
  list,
  selection,
  onAdd,
}: {
  search: ListSearch;
  list: ReturnType<typeof useCompanyRows>;
  selection: ReturnType<typeof useSelection>;
  onAdd: () => void;
}) {
  const { companies } = useWords(shared);
  const { user } = useSession();
  const columns = useColumns(search);
  const sorting = useSorting(SORTS);
  const { rows, error, hasNextPage, isPlaceholderData, refetch, onRange } = list;
  if (error && !rows) return <ErrorState error={error} onRetry={() => void refetch()} />;
  // An empty result of the previous search says nothing about this one.
  if (!rows || (rows.length === 0 && isPlaceholderData)) return <Skeleton rows={14} />;
  // A page of a search can be empty while more follow.
  if (rows.length === 0 && !hasNextPage) return <NoCompanies search={search} onAdd={onAdd} />;
  return (
    <DataTable
      label={companies}
      rows={rows}
      idOf={({ id }) => id}
      addressOf={({ orgnr }) => `/companies/${orgnr}`}
      columns={columns}
      phone={(row) => <PhoneRow row={row} />}
      sorting={sorting}
      of={JSON.stringify(listQuery(search, user.id))}
      pages={list}
      onRange={onRange}
      selected={selection.ids}
      onSelect={(ids) => selection.choose(ids)}
    />
  );
}
