import { Link, useLocation } from '@tanstack/react-router';
import { useSession } from '../client/session.ts';
import { Icon, type IconName } from '../components/icon.tsx';
import { firstLetter } from '../components/person-name.tsx';
import { useWords } from '../words/dictionary.ts';
import { shared } from '../words/shared.ts';
import { DueBadge } from './due-badge.tsx';
import { useListSearch } from './list-searches.tsx';
import { PersonMenu } from './person-menu.tsx';
import { frameWords } from './words.ts';
import './navigation.css';

type Place = { to: string; icon: IconName; word: 'home' | 'companies' | 'contacts' | 'tasks' | 'offers' };

const PLACES: readonly Place[] = [
  { to: '/', icon: 'home', word: 'home' },
  { to: '/companies', icon: 'companies', word: 'companies' },
  { to: '/contacts', icon: 'contacts', word: 'contacts' },
  { to: '/tasks', icon: 'tasks', word: 'tasks' },
  { to: '/offers', icon: 'offers', word: 'offers' },
];

/** A column with words, a column of icons, or a bar at the bottom, as there is room. */
export function Navigation({ onPalette }: { onPalette: () => void }) {
  const words = useWords(frameWords);
  const names = useWords(shared);
  const { workspace } = useSession();
  const searchOf = useListSearch();
  const isInSettings = useLocation({ select: ({ pathname }) => pathname.startsWith('/settings/') });
  return (
    <nav className="navigation" aria-label={words.navigation}>
      <p className="navigation-workspace truncate" title={workspace.name}>
        <span className="navigation-sign" aria-hidden="true">
          {firstLetter(workspace.name)}
        </span>
        <span className="navigation-word truncate">{workspace.name}</span>
      </p>
      <button
        type="button"
        className="navigation-search"
        onClick={onPalette}
        aria-keyshortcuts="Control+K Meta+K"
      >
        <Icon name="search" />
        <span className="navigation-word">{names.search}</span>
        <kbd className="navigation-word">{/Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K'}</kbd>
      </button>
      <ul className="navigation-places">
        {PLACES.map(({ to, icon, word }) => (
          <li key={to} className={`navigation-${word}`}>
            <Link
              to={to}
              search={searchOf(to) as never}
              className="navigation-link"
              activeOptions={{ exact: to === '/', includeSearch: false }}
            >
              <Icon name={icon} />
              <span className="navigation-word">{names[word]}</span>
              {word === 'tasks' && <DueBadge />}
            </Link>
          </li>
        ))}
        <li className="navigation-settings">
          <Link
            to="/settings/profile"
            className="navigation-link"
            aria-current={isInSettings ? 'true' : undefined}
          >
            <Icon name="settings" />
            <span className="navigation-word">{names.settings}</span>
          </Link>
        </li>
      </ul>
      <PersonMenu />
    </nav>
  );
}
