import { focusManager, useQueryClient } from '@tanstack/react-query';
import { Outlet, useNavigate } from '@tanstack/react-router';
import { Suspense, useEffect, useEffectEvent, useRef, useState } from 'react';
import type { Session } from '../client/application.ts';
import { call, whenSessionEnds } from '../client/call.ts';
import { useLiveChanges } from '../client/live.ts';
import { isProblem } from '../client/problem.ts';
import { fetchAnew } from '../client/queries.ts';
import { moveBack, useSession, useTakeSession, whenShownAgain } from '../client/session.ts';
import { whenTabsTell } from '../client/tabs.ts';
import { useWords } from '../words/dictionary.ts';
import { useLanguage } from '../words/language.ts';
import { shared } from '../words/shared.ts';
import { CommandProvider, useCommands, type Command } from './commands.tsx';
import { HeldKeys } from './held-keys.tsx';
import { lazyPart } from './lazy-part.tsx';
import { ListSearches, useListSearch } from './list-searches.tsx';
import { Navigation } from './navigation.tsx';
import { OfflineBand } from './offline-band.tsx';
import { ToastProvider, useToasts } from './toasts.tsx';
import { frameWords } from './words.ts';
import './frame.css';

const SignInAgain = lazyPart(async () => (await import('./sign-in-again.tsx')).SignInAgain);
const Palette = lazyPart(async () => (await import('./palette.tsx')).Palette);

/** What stands around every page of somebody who is signed in. */
export function Frame() {
  return (
    <CommandProvider>
      <ToastProvider>
        <ListSearches>
          <FrameParts />
        </ListSearches>
      </ToastProvider>
    </CommandProvider>
  );
}

function FrameParts() {
  const { user, workspace } = useSession();
  const { speak } = useLanguage();
  const words = useWords(frameWords);
  const [isOpen, setIsOpen] = useState(false);
  const [isSignedOut, setIsSignedOut] = useState(false);
  const takeSession = useTakeSession();
  const client = useQueryClient();
  const fetchRows = () => fetchAnew(client, ({ queryKey }) => queryKey[0] !== 'session');
  const enter = async (entered: Session, isAnew = true) => {
    const isSame = entered.user.id === user.id;
    // If the session has moved to another workspace, a hidden page does not move it back.
    const isElsewhere = isSame && entered.workspace.id !== workspace.id;
    if (isSignedOut && isElsewhere && document.visibilityState === 'hidden') return;
    const session = isSignedOut && isSame ? await moveBack(entered, workspace.id) : entered;
    // Also when a page load follows: it may be refused, and what is typed can then be read.
    if (isSame) setIsSignedOut(false);
    if (!takeSession(session)) return;
    if (isAnew || isSignedOut) fetchRows();
  };
  const looks = useRef({ begun: 0, taken: 0 });
  const look = useEffectEvent(async (isAnew = true, isOver = false) => {
    let turn, answer;
    // An answer that arrives after the answer to a later request may be outdated: then the session is read again.
    do {
      turn = ++looks.current.begun;
      [answer] = await Promise.allSettled([call('GET /session')]);
    } while (turn < looks.current.taken);
    looks.current.taken = turn;
    if (answer.status === 'fulfilled') await enter(answer.value.data.data, isAnew);
    else if (isOver || isProblem(answer.reason, 'unauthorized')) setIsSignedOut(true);
    else if (isAnew) fetchRows();
  });
  // A request under way when the session went to another workspace can be answered as if the session had ended.
  useEffect(() => whenSessionEnds({ signedOut: () => void look(true, true), moved: () => void look() }), []);
  useEffect(() => whenTabsTell(() => void look()), []);
  useEffect(() => whenShownAgain(() => void look()), []);
  // An owner may have given the person another role meanwhile.
  useEffect(() => focusManager.subscribe((isFocused) => isFocused && void look(false)), []);
  useLiveChanges(!isSignedOut, useToasts().outdate);
  useEffect(
    () => speak({ language: user.language, otherwise: workspace.language, timeZone: workspace.time_zone }),
    [speak, user.language, workspace.language, workspace.time_zone],
  );
  useCommands([
    {
      id: 'palette',
      label: words.commandsKey,
      group: words.general,
      keys: 'Mod+k',
      run: () => setIsOpen((was) => !was),
    },
  ]);
  const close = () => setIsOpen(false);
  return (
    <div className="frame">
      <GoCommands />
      <a className="skip" href="#content">
        {words.skip}
      </a>
      <Navigation onPalette={() => setIsOpen(true)} />
      <div className="frame-main">
        <OfflineBand />
        <main id="content" tabIndex={-1}>
          <Outlet />
        </main>
      </div>
      <Suspense>{isSignedOut && <SignInAgain onSignedIn={(session) => void enter(session)} />}</Suspense>
      <Suspense fallback={<HeldKeys onClose={close} />}>{isOpen && <Palette onClose={close} />}</Suspense>
    </div>
  );
}

/** Stands before the page, so that the page's own commands are the later ones. */
function GoCommands() {
  const words = useWords(frameWords);
  const names = useWords(shared);
  const navigate = useNavigate();
  const searchOf = useListSearch();
  const place = (to: string, label: string, keys?: string): Command => ({
    id: `go ${to}`,
    label,
    group: words.go,
    ...(keys === undefined ? {} : { keys }),
    run: () => void navigate({ to, search: searchOf(to) }),
  });
  useCommands([
    place('/', names.home, 'g h'),
    place('/companies', names.companies, 'g c'),
    place('/contacts', names.contacts, 'g k'),
    place('/tasks', names.tasks, 'g t'),
    place('/offers', names.offers, 'g o'),
    place('/settings/profile', names.settings, 'g s'),
    place('/search', names.search, '/'),
    place('/settings/keys', names.keys),
    place('/settings/members', names.members),
    place('/settings/workspace', names.workspace),
    place('/settings/history', names.history),
    place('/import', names.import),
    place('/developers', names.developers),
    place('/shortcuts', names.shortcuts, '?'),
  ]);
  return null;
}
