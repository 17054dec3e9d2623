import { Suspense, useState } from 'react';
import { useSession } from '../client/session.ts';
import { Icon } from '../components/icon.tsx';
import { Avatar } from '../components/person-name.tsx';
import { useWords } from '../words/dictionary.ts';
import { lazyPart } from './lazy-part.tsx';
import { frameWords } from './words.ts';

const load = async () => (await import('./person-menu-open.tsx')).OpenPersonMenu;
const OpenMenu = lazyPart(load, PersonLabel);
/** A failure here is shown when the menu is opened. */
const prepare = () => void load().catch(() => {});

/** The person's own things; on a phone also the places that the bar has no room for. Loaded when first asked for. */
export function PersonMenu() {
  const [isWanted, setIsWanted] = useState(false);
  const button = (
    <button
      type="button"
      className="button person-button"
      data-kind="quiet"
      aria-haspopup="menu"
      aria-expanded="false"
      onClick={() => setIsWanted(true)}
      onPointerEnter={prepare}
      onFocus={prepare}
    >
      <PersonLabel />
    </button>
  );
  return isWanted ? (
    <Suspense fallback={button}>
      <OpenMenu />
    </Suspense>
  ) : (
    button
  );
}

export function PersonLabel() {
  const { user } = useSession();
  const words = useWords(frameWords);
  const name = `${user.first_name} ${user.last_name}`.trim();
  return (
    <span className="person-label">
      <Avatar name={name} />
      <span className="person-name truncate">{name}</span>
      <span className="person-more">
        <Icon name="more" />
        {words.more}
      </span>
    </span>
  );
}
