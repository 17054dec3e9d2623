import type { WaysIn } from '../../../src/members/ways-in.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { words } from './words.ts';
import './other-ways.css';

/** Lists the ways to sign in other than the password, and offers to remove them. Empty where there are none. */
export function OtherWays({ ways: { passkeys, identities } }: { ways: WaysIn }) {
  const said = useWords(words);
  const format = useFormat();
  const since = (at: string | null) => (at === null ? said.neverUsed : said.lastUsed(format.relative(at)));
  const lines = [
    ...passkeys.map(({ name, last_used_at: used }) => `${said.passkey(name)}, ${since(used)}`),
    ...identities.map(({ issuer, created_at: at }) => said.linked(hostOf(issuer), format.date(at))),
  ];
  if (lines.length === 0) return null;
  return (
    <div className="other-ways">
      <p>{said.otherWays}</p>
      <ul>
        {lines.map((line, index) => (
          // oxlint-disable-next-line react/no-array-index-key -- the lines have no other key: two may read the same
          <li key={index}>{line}</li>
        ))}
      </ul>
      <Checkbox name="remove_other_ways" label={said.removeOtherWays} hint={said.keepHint} defaultSelected />
    </div>
  );
}

function hostOf(issuer: string): string {
  return URL.canParse(issuer) ? new URL(issuer).host : issuer;
}
