import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useFilters } from '../../client/filters.ts';
import type { Prefetch } from '../../client/prefetch.ts';
import { queryOf, UNLOGGED_MS } from '../../client/queries.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { RecordTable } from '../../components/record-table.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { Page } from '../../frame/page.tsx';
import { SettingsTabs } from '../../frame/settings-tabs.tsx';
import { useTellIfLeft } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { nameOf, type Key, type NewKey } from './access.ts';
import { useKeyColumns } from './columns.tsx';
import { CreateKey } from './create-key.tsx';
import { NewKeyPanel } from './new-key.tsx';
import { RevokeKey } from './revoke-key.tsx';
import { RotateKey, type Overlap } from './rotate-key.tsx';
import { words } from './words.ts';
import './keys.css';

type Doing = { what: 'create' } | { what: 'rotate' | 'revoke'; key: Key };

const keysQuery = (isEnded: boolean) => queryOf('GET /keys', { query: isEnded ? { ended: 'true' } : {} });

export const prefetch: Prefetch = ({ client, search: { ended } }) => {
  void client.prefetchQuery(keysQuery(ended !== undefined));
};

export function KeysPage() {
  const said = useWords(words);
  const { keys: title } = useWords(shared);
  const client = useQueryClient();
  const tellIfLeft = useTellIfLeft();
  const { values, set } = useFilters<'ended'>();
  const isEnded = values.ended !== undefined;
  const { data, error, refetch } = useQuery({
    ...keysQuery(isEnded),
    refetchInterval: UNLOGGED_MS,
  });
  const [doing, setDoing] = useState<Doing>();
  const [made, setMade] = useState<{ created: NewKey; overlap?: Overlap }>();
  const columns = useKeyColumns({
    onRotate: (key) => setDoing({ what: 'rotate', key }),
    onRevoke: (key) => setDoing({ what: 'revoke', key }),
  });
  const create = () => setDoing({ what: 'create' });
  useCommands([{ id: 'create key', label: said.create, group: title, keys: 'n', run: create }]);

  const close = () => setDoing(undefined);
  const refresh = () => {
    close();
    void client.invalidateQueries({ queryKey: ['keys'] });
  };
  const show = (created: NewKey, overlap?: Overlap) => {
    setMade({ created, ...(overlap && { overlap }) });
    const name = nameOf(created.key);
    tellIfLeft(overlap ? said.rotatedUnseen(name) : said.createdUnseen(name));
    refresh();
  };
  const rows = data?.data.data;
  return (
    <Page
      title={title}
      toolbar={<SettingsTabs />}
      actions={
        <Button kind="primary" icon="plus" onPress={create}>
          {said.create}
        </Button>
      }
    >
      {made && <NewKeyPanel key={made.created.key.id} {...made} onDone={() => setMade(undefined)} />}
      <div className="keys-intro">
        <p>{said.intro}</p>
        <Button size="small" onPress={() => set({ ended: isEnded ? undefined : '1' })}>
          {isEnded ? said.live : said.ended}
        </Button>
      </div>
      {error && <ErrorState error={error} onRetry={() => void refetch()} />}
      {!rows && !error && <Skeleton />}
      {rows?.length === 0 && <Empty>{isEnded ? said.emptyEnded : said.empty}</Empty>}
      {rows && rows.length > 0 && (
        <RecordTable label={title} rows={rows} idOf={({ id }) => id} columns={columns} />
      )}
      {data?.data.has_more && <p className="keys-note muted">{said.moreThan}</p>}
      {doing?.what === 'create' && <CreateKey onCreated={show} onClose={close} />}
      {doing?.what === 'rotate' && <RotateKey target={doing.key} onCreated={show} onClose={close} />}
      {doing?.what === 'revoke' && <RevokeKey target={doing.key} onRevoked={refresh} onClose={close} />}
    </Page>
  );
}
