import { CopyLine } from '../../components/copy-line.tsx';
import { SecretPanel } from '../../components/secret-panel.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { nameOf, type NewLink } from './member.ts';
import { words } from './words.ts';

export function LinkPanel({ link, onDone }: { link: NewLink; onDone: () => void }) {
  const said = useWords(words);
  const format = useFormat();
  return (
    <SecretPanel title={said.linkTitle(nameOf(link.member))} done={said.done} onDone={onDone}>
      <p>
        {`${link.kind === 'reset' ? said.resetOnce : said.inviteOnce} ${said.lasts(format.date(link.expires_at))}`}
      </p>
      <CopyLine label={said.link} text={window.location.origin + link.path} />
    </SecretPanel>
  );
}
