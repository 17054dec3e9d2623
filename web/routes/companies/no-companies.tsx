import { useFilters } from '../../client/filters.ts';
import { useRole } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { Empty } from '../../components/empty.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { useWords } from '../../words/dictionary.ts';
import { isFiltered, type ListSearch } from './list-query.ts';
import { words } from './words.ts';

/** In place of the list: nothing fits, nothing is deleted, or there is nothing yet. */
export function NoCompanies({ search, onAdd }: { search: ListSearch; onAdd: () => void }) {
  const said = useWords(words);
  const { set } = useFilters<keyof ListSearch>();
  const isAdmin = useRole('admin');
  const clear = {
    q: undefined,
    status: undefined,
    assigned: undefined,
    archived: undefined,
    deleted: undefined,
  };
  if (isFiltered(search) || search.deleted === 'true') {
    return (
      <Empty action={<Button onPress={() => set(clear)}>{said.clearFilters}</Button>}>
        {isFiltered(search) ? said.noneFit : said.noneDeleted}
      </Empty>
    );
  }
  return (
    <Empty
      action={
        <>
          <Button icon="plus" onPress={onAdd}>
            {said.emptyAdd}
          </Button>
          {isAdmin && (
            <LinkButton to="/import" icon="import">
              {said.emptyImport}
            </LinkButton>
          )}
        </>
      }
    >
      {said.empty}
    </Empty>
  );
}
