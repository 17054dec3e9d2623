import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useDownload } from '../../client/download.ts';
import { useFilters } from '../../client/filters.ts';
import { useNextPage } from '../../client/next-page.ts';
import { listOf, rowsOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { DataTable, type Column } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { Icon } from '../../components/icon.tsx';
import { ListError } from '../../components/next-page.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { Time } from '../../components/time.tsx';
import { Toolbar } from '../../components/toolbar.tsx';
import { Page } from '../../frame/page.tsx';
import { SettingsTabs } from '../../frame/settings-tabs.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useLanguage } from '../../words/language.ts';
import { shared } from '../../words/shared.ts';
import { Days } from './days.tsx';
import { addressOf, useDescription, type Entry } from './describe.ts';
import { queryFrom, useHistoryFilters, type FilterName } from './filters.ts';
import { words } from './words.ts';
import '../../components/button.css';
import './history.css';

export function HistoryPage() {
  const said = useWords(words);
  const { history: title } = useWords(shared);
  const { values } = useFilters<FilterName>();
  // Fixed while the page is open: otherwise each render would make a new query of the same period.
  const [now] = useState(() => Date.now());
  const { language, timeZone } = useLanguage();
  const { workspace } = useSession();
  const filters = useHistoryFilters();
  const query = queryFrom(values, { now, timeZone });
  const list = useInfiniteQuery(listOf('GET /history', { query: { ...query, limit: '100' } }));
  const { data, error, hasNextPage } = list;
  const rows = rowsOf(data);
  const people = data?.pages.flatMap((page) => page.data.people) ?? [];
  const { happened, subject, who } = useDescription(people);
  // With a filter that has no index, a page can be empty although more pages follow.
  useNextPage(list, data?.pages.at(-1)?.data.data.length === 0);

  const columns: Column<Entry>[] = [
    { id: 'what', label: said.what, width: 'minmax(0, 3fr)', cell: subject },
    {
      id: 'happened',
      label: said.happened,
      width: 'minmax(0, 3fr)',
      cell: (entry) => (
        <span className="truncate" title={happened(entry)}>
          {happened(entry)}
        </span>
      ),
    },
    {
      id: 'who',
      label: said.who,
      width: 'minmax(0, 1.2fr)',
      cell: (entry) => (
        <span className="truncate" title={who(entry)}>
          {who(entry)}
        </span>
      ),
    },
    {
      id: 'when',
      label: said.when,
      width: 'minmax(0, 1.6fr)',
      cell: ({ at }) => <Time at={at} kind="exact" inRow />,
    },
    {
      id: 'request',
      label: said.request,
      width: 'minmax(0, 1fr)',
      cell: ({ request_id: request }) => (
        <code className="history-request truncate" title={request ?? ''}>
          {request}
        </code>
      ),
    },
  ];
  const isFiltered = Object.keys(query).length > 0;
  const asked = new URLSearchParams({ ...query, language, workspace: workspace.id }).toString();
  const exported = `/app/api/history/export?${asked}`;
  const download = useDownload(exported);
  return (
    <Page
      title={title}
      toolbar={
        <>
          <SettingsTabs />
          <Toolbar>
            <FilterBar filters={filters} />
          </Toolbar>
          {values.period === 'days' && <Days />}
        </>
      }
      actions={
        <a
          className="button"
          data-kind="normal"
          data-size="normal"
          href={exported}
          download
          onClick={download}
        >
          <Icon name="export" />
          <span className="button-text">{said.download}</span>
        </a>
      }
    >
      {error && (!rows || (rows.length === 0 && hasNextPage)) ? (
        <ListError list={list} />
      ) : !rows || (rows.length === 0 && list.isPlaceholderData) ? (
        <Skeleton rows={12} />
      ) : rows.length === 0 ? (
        <Empty>{hasNextPage ? said.looking : isFiltered ? said.emptyFiltered : said.empty}</Empty>
      ) : (
        <DataTable
          label={title}
          rows={rows}
          idOf={({ id }) => String(id)}
          addressOf={addressOf}
          columns={columns}
          phone={(entry) => (
            <>
              <span>{subject(entry)}</span>
              <span className="muted truncate">
                {who(entry)} · <Time at={entry.at} kind="exact" inRow /> · {happened(entry)}
              </span>
            </>
          )}
          of={JSON.stringify(query)}
          pages={list}
        />
      )}
    </Page>
  );
}
