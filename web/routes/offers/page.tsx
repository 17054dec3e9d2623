import { useState } from 'react';
import { useFilters } from '../../client/filters.ts';
import type { Prefetch } from '../../client/prefetch.ts';
import { useSorting } from '../../client/sorting.ts';
import { Button } from '../../components/button.tsx';
import { DisplayMenu } from '../../components/display-menu.tsx';
import { ExportMenuItem } from '../../components/export-menu-item.tsx';
import { Menu } from '../../components/menu.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { LinkTabs } from '../../components/link-tabs.tsx';
import { Toolbar } from '../../components/toolbar.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { boardQuery, FEW, sumsQuery } from './board-data.ts';
import { Board } from './board.tsx';
import { CompanyFilter } from './company-filter.tsx';
import { cardsQuery, List, SORTS } from './list.tsx';
import { NewOffer } from './new-offer.tsx';
import { SumsView } from './sums.tsx';
import { useOwners } from './use-owners.ts';
import { offerWords } from './words.ts';
import './offers.css';

/** What the address holds: the view, and for each view what is filtered or chosen. */
type Name = 'tab' | 'user_id' | 'column' | 'status' | 'company_id' | 'company' | 'sort';

export const prefetch: Prefetch = ({ client, search }) => {
  const { tab, user_id: user } = search;
  if (tab === 'list') {
    void client.prefetchInfiniteQuery(cardsQuery(search));
    return;
  }
  void client.prefetchQuery(sumsQuery(user));
  if (tab === undefined) void client.prefetchQuery(boardQuery(user, FEW));
};

export function OffersPage() {
  const words = useWords(offerWords);
  const names = useWords(shared);
  const [isAdding, setIsAdding] = useState(false);
  const { values } = useFilters<Name>();
  const { tab, user_id: user } = values;
  const mine = user ? { user_id: user } : {};
  useCommands([
    { id: 'offers.new', label: words.newOffer, group: names.offers, keys: 'n', run: () => setIsAdding(true) },
  ]);
  const add = (
    <Button kind="primary" icon="plus" onPress={() => setIsAdding(true)}>
      {words.newOffer}
    </Button>
  );
  return (
    <Page
      title={names.offers}
      actions={
        <>
          <Menu label={names.more}>
            <ExportMenuItem
              list="offers"
              query={{
                ...mine,
                ...(tab === 'list' && {
                  status: values.status,
                  company_id: values.company_id,
                  sort: SORTS.find((sort) => sort === values.sort),
                }),
              }}
            />
          </Menu>
          {add}
        </>
      }
      toolbar={
        <div className="offers-bar" data-one={tab === 'list' ? undefined : ''}>
          <LinkTabs
            label={words.views}
            tabs={[
              {
                to: '/offers',
                label: words.board,
                search: { ...mine, ...(tab === undefined ? values : {}) },
              },
              {
                to: '/offers',
                label: words.list,
                search: {
                  ...mine,
                  ...(tab === 'list' ? values : {}),
                  tab: 'list',
                },
              },
              {
                to: '/offers',
                label: words.sums,
                search: { ...mine, tab: 'sums' },
              },
            ]}
          />
          <Filters isList={tab === 'list'} />
        </div>
      }
    >
      {tab === 'list' ? (
        <List add={add} />
      ) : tab === 'sums' ? (
        <SumsView user={user} />
      ) : (
        <Board user={user} add={add} />
      )}
      {isAdding && <NewOffer onClose={() => setIsAdding(false)} />}
    </Page>
  );
}

function Filters({ isList }: { isList: boolean }) {
  const words = useWords(offerWords);
  const { offerStatus, status } = useWords(shared);
  const owners = useOwners();
  const sorting = useSorting(SORTS);
  const byOwner = { name: 'user_id', label: words.whose, options: owners };
  const byStatus = {
    name: 'status',
    label: status,
    options: Object.entries(offerStatus).map(([id, label]) => ({ id, label })),
  };
  return (
    <Toolbar>
      <FilterBar filters={isList ? [byStatus, byOwner] : [byOwner]} />
      {isList && <CompanyFilter />}
      {isList && <DisplayMenu sorting={sorting} />}
    </Toolbar>
  );
}
