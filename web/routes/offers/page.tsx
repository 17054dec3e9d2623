import { useState } from 'react';
import { useFilters } from '../../client/filters.ts';
import { Button } from '../../components/button.tsx';
import { FilterBar } from '../../components/filter-bar.tsx';
import { LinkTabs } from '../../components/link-tabs.tsx';
import { Toolbar } from '../../components/toolbar.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { Board } from './board.tsx';
import { CompanyFilter } from './company-filter.tsx';
import { List } from './list.tsx';
import { NewOffer } from './new-offer.tsx';
import { SumsView } from './sums.tsx';
import { useOwners } from './use-owners.ts';
import { offerWords } from './words.ts';
import './offers.css';

export function OffersPage() {
  const words = useWords(offerWords);
  const names = useWords(shared);
  const [isAdding, setIsAdding] = useState(false);
  const { values } = useFilters<'tab' | 'user_id' | 'status' | 'company_id' | 'sort'>();
  const { tab, user_id: user } = values;
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
      actions={add}
      toolbar={
        <>
          <LinkTabs
            label={words.views}
            tabs={[
              { to: '/offers', label: words.board, search: { ...(user ? { user_id: user } : {}) } },
              {
                to: '/offers',
                label: words.list,
                search: {
                  ...(user ? { user_id: user } : {}),
                  ...(tab === 'list' ? values : {}),
                  tab: 'list',
                },
              },
              {
                to: '/offers',
                label: words.sums,
                search: { ...(user ? { user_id: user } : {}), tab: 'sums' },
              },
            ]}
          />
          <Filters isList={tab === 'list'} />
        </>
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
    </Toolbar>
  );
}
