import { useDownload } from '../client/download.ts';
import { useSession } from '../client/session.ts';
import { shared } from '../words/shared.ts';
import { useWords } from '../words/dictionary.ts';
import { useLanguage } from '../words/language.ts';
import { MenuItem } from './menu.tsx';

type List = 'companies' | 'contacts' | 'tasks' | 'offers';

/**
 * Sends the list as a CSV file, with the filters and the sort that the page has.
 * @param query parameters as the list's own operation takes them; page and limit left out
 */
export function ExportMenuItem({
  list,
  query,
}: {
  list: List;
  query?: Readonly<Record<string, string | undefined>>;
}) {
  const words = useWords(shared);
  const { language } = useLanguage();
  const { workspace } = useSession();
  const given = new URLSearchParams({ language, workspace: workspace.id });
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value !== undefined && value !== '') given.set(name, value);
  }
  const address = `/app/api/${list}.csv?${given.toString()}`;
  const download = useDownload(address);
  // A menu item with an address is a link: the browser saves the answer.
  return (
    <MenuItem icon="export" href={address} download onClickCapture={download}>
      {words.exportCsv}
    </MenuItem>
  );
}
