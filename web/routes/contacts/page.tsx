import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { searchText } from '../../client/answers.ts';
import { useFilters } from '../../client/filters.ts';
import { useNextPage } from '../../client/next-page.ts';
import type { Prefetch } from '../../client/prefetch.ts';
import { queryOf } from '../../client/queries.ts';
import { sortIn, useSorting } from '../../client/sorting.ts';
import { Button } from '../../components/button.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { DisplayMenu } from '../../components/display-menu.tsx';
import { Empty } from '../../components/empty.tsx';
import { ExportMenuItem } from '../../components/export-menu-item.tsx';
import { Menu } from '../../components/menu.tsx';
import { ListError } from '../../components/next-page.tsx';
import { SearchField } from '../../components/search-field.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Toolbar } from '../../components/toolbar.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { AddContact } from './add.tsx';
import { PhoneRow, useContactColumns } from './columns.tsx';
import { contactsQuery, SORTS } from './queries.ts';
import { contactsWords } from './words.ts';
import './contacts.css';

/** A larger count is shown as `10 000+`: the service counts only one further. */
const MAX_COUNT = 10_000;

const countQuery = queryOf('GET /contacts/count');

export const prefetch: Prefetch = ({ client, search: { q, sort } }) => {
  void client.prefetchInfiniteQuery(contactsQuery({ q: searchText(q), sort: sortIn(SORTS, sort) }));
  void client.prefetchQuery(countQuery);
};

export function ContactsPage() {
  const names = useWords(shared);
  const words = useWords(contactsWords);
  const { values, set } = useFilters<'q'>();
  const [isAdding, setIsAdding] = useState(false);
  const q = searchText(values.q);
  const sorting = useSorting(SORTS);
  const sort = sorting.by;
  const list = useInfiniteQuery(contactsQuery({ q, sort }));
  const counted = useQuery(countQuery);
  const columns = useContactColumns();
  const rows = list.data?.pages.flatMap((page) => page.rows);
  // Until a search is answered, the rows of the search before it are shown: they say nothing about its count.
  const isOpenEnded = list.hasNextPage || list.isPlaceholderData;
  // A page of a search may hold no rows although more pages follow.
  useNextPage(list, list.data?.pages.at(-1)?.rows.length === 0);
  const isLooking = rows?.length === 0 && isOpenEnded;

  const add = () => setIsAdding(true);
  useCommands([{ id: 'contacts.add', label: words.addContact, group: names.contacts, keys: 'n', run: add }]);
  const all = counted.data?.data.data.count;
  const found = q === '' ? all : isOpenEnded ? undefined : rows?.length;
  const count =
    found === undefined ? undefined : { value: Math.min(found, MAX_COUNT), isCapped: found > MAX_COUNT };
  const action = (
    <Button kind="primary" icon="plus" onPress={add}>
      {words.addContact}
    </Button>
  );
  return (
    <Page
      title={names.contacts}
      actions={
        <>
          <Menu label={names.more}>
            <ExportMenuItem list="contacts" query={{ q, sort }} />
          </Menu>
          {action}
        </>
      }
      toolbar={
        <Toolbar count={count}>
          <SearchField label={words.search} value={values.q ?? ''} onChange={(text) => set({ q: text })} />
          <DisplayMenu sorting={sorting} />
        </Toolbar>
      }
    >
      {list.isError && (!rows || isLooking) ? (
        <ListError list={list} />
      ) : rows === undefined || isLooking ? (
        <Skeleton rows={12} />
      ) : rows.length === 0 ? (
        q === '' ? (
          <Empty action={action}>{words.empty}</Empty>
        ) : (
          <Empty action={<Button onPress={() => set({ q: undefined })}>{names.clear}</Button>}>
            {words.none(q)}
          </Empty>
        )
      ) : (
        <DataTable
          label={names.contacts}
          rows={rows}
          idOf={({ id }) => id}
          addressOf={({ id }) => `/contacts/${id}`}
          columns={columns}
          phone={(row) => <PhoneRow row={row} />}
          sorting={sorting}
          of={q}
          pages={list}
        />
      )}
      {isAdding && <AddContact onClose={() => setIsAdding(false)} />}
    </Page>
  );
}
