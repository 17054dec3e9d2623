import { CopyLine } from '../../components/copy-line.tsx';
import { SecretPanel } from '../../components/secret-panel.tsx';
import { useWords } from '../../words/dictionary.ts';
import type { NewKey } from './access.ts';
import { words } from './words.ts';

/** A key that was created just now, with a call to try it. */
export function NewKeyPanel({ created: { key, token }, onDone }: { created: NewKey; onDone: () => void }) {
  const said = useWords(words);
  return (
    <SecretPanel title={said.created(key.name)} done={said.done} onDone={onDone}>
      <p>{said.once}</p>
      <CopyLine label={said.key} text={token} />
      <CopyLine label={said.curl} text={curlWith(token)} />
    </SecretPanel>
  );
}

function curlWith(token: string): string {
  return `curl -H "Authorization: Bearer ${token}" ${window.location.origin}/api/v1/me`;
}
