import { Button } from '../../components/button.tsx';
import { useFocusBack } from '../../components/focus-back.ts';
import { Icon } from '../../components/icon.tsx';
import { Menu, MenuItem, MenuSection } from '../../components/menu.tsx';
import { useMembers } from '../../client/members.ts';
import { useCommands } from '../../frame/commands.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import type { Row } from './list-query.ts';
import { useBulkChange } from './use-bulk.ts';
import { words } from './words.ts';

/** What can be done with the chosen companies, in place of the toolbar. */
export function BulkBar({ rows, onClear }: { rows: readonly Row[]; onClear: () => void }) {
  const said = useWords(words);
  const names = useWords(shared);
  const format = useFormat();
  const { members } = useMembers();
  const { change, isPending } = useBulkChange();
  useFocusBack('.table-row[tabindex="0"]');
  useCommands([
    { id: 'companies.unselect', label: said.unselect, group: names.companies, keys: 'Escape', run: onClear },
  ]);
  const live = rows.filter(({ is_deleted }) => !is_deleted);
  const isArchived = live.length > 0 && live.every(({ is_archived }) => is_archived);
  return (
    <div className="toolbar bulk-bar" role="group" aria-label={said.selected(format.number(rows.length))}>
      <span className="bulk-count" role="status">
        {said.selected(format.number(rows.length))}
      </span>
      {live.length > 0 && (
        <>
          <Menu trigger={<Opening label={said.setStatus} />}>
            <MenuSection label={said.setStatus}>
              {Object.entries(names.companyStatus).map(([id, label]) => (
                <MenuItem key={id} onAction={() => void change(live, { status: id as Row['status'] })}>
                  {label}
                </MenuItem>
              ))}
            </MenuSection>
          </Menu>
          <Menu trigger={<Opening label={said.assign} />}>
            <MenuSection label={said.assign}>
              <MenuItem onAction={() => void change(live, { assigned_to: null })}>
                {names.unassigned}
              </MenuItem>
              {members.map(({ id, name }) => (
                <MenuItem key={id} onAction={() => void change(live, { assigned_to: id })}>
                  {name}
                </MenuItem>
              ))}
            </MenuSection>
          </Menu>
          <Button
            size="small"
            kind="quiet"
            icon="archive"
            isPending={isPending}
            onPress={() => void change(live, { is_archived: !isArchived })}
          >
            {isArchived ? said.unarchive : said.archive}
          </Button>
        </>
      )}
      <Button size="small" kind="quiet" onPress={onClear}>
        {said.unselect}
      </Button>
    </div>
  );
}

function Opening({ label }: { label: string }) {
  return (
    <>
      <span className="button-text">{label}</span>
      <Icon name="down" />
    </>
  );
}
