import { CopyLine } from '../../components/copy-line.tsx';
import { SecretPanel } from '../../components/secret-panel.tsx';
import { useWords } from '../../words/dictionary.ts';
import { nameOf, type NewKey } from './access.ts';
import type { Overlap } from './rotate-key.tsx';
import { words } from './words.ts';

/** A key that was created just now, with a call to try it. `overlap`: how long the one that it replaces works. */
export function NewKeyPanel({
  created: { key, token },
  overlap,
  onDone,
}: {
  created: NewKey;
  overlap?: Overlap;
  onDone: () => void;
}) {
  const said = useWords(words);
  return (
    <SecretPanel
      title={overlap ? said.rotated(nameOf(key)) : said.created(nameOf(key))}
      done={said.done}
      onDone={onDone}
    >
      <p>{said.once}</p>
      {overlap && (
        <p>
          {said.oldLasts}: {said.overlaps[overlap].toLowerCase()}.
        </p>
      )}
      <CopyLine label={said.key} text={token} />
      <CopyLine label={said.curl} text={curlWith(token)} />
    </SecretPanel>
  );
}

function curlWith(token: string): string {
  return `curl -H "Authorization: Bearer ${token}" ${window.location.origin}/api/v1/me`;
}
