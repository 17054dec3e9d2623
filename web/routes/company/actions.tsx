import { useRole } from '../../client/session.ts';
import { Menu, MenuItem, MenuSection } from '../../components/menu.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { useCompanyActions } from './use-actions.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

/** What can be done with the company, by menu and by name in the palette. */
export function CompanyActions({ company }: { company: Company }) {
  const said = useWords(words);
  const names = useWords(shared);
  const isAdmin = useRole('admin');
  const { archive, unarchive, restore, remove } = useCompanyActions(company);
  const { is_archived, is_deleted } = company;
  const archiving = is_archived
    ? { label: said.unarchive, run: () => unarchive.mutate() }
    : { label: names.archive, run: () => archive.mutate() };
  const deleting = is_deleted
    ? { label: names.restore, run: () => restore.mutate() }
    : { label: names.delete, run: () => remove.mutate() };
  useCommands([
    ...(is_deleted ? [] : [{ id: 'company.archive', group: names.company, ...archiving }]),
    ...(isAdmin ? [{ id: 'company.delete', group: names.company, ...deleting }] : []),
  ]);
  if (is_deleted && !isAdmin) return null;
  return (
    <Menu label={names.more}>
      <MenuSection label={names.company}>
        {!is_deleted && (
          <MenuItem icon="archive" onAction={archiving.run}>
            {archiving.label}
          </MenuItem>
        )}
        {isAdmin &&
          (is_deleted ? (
            <MenuItem icon="undo" onAction={deleting.run}>
              {deleting.label}
            </MenuItem>
          ) : (
            <MenuItem icon="trash" kind="danger" onAction={deleting.run}>
              {deleting.label}
            </MenuItem>
          ))}
      </MenuSection>
    </Menu>
  );
}
