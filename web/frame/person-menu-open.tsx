import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { useSession, useSignOut } from '../client/session.ts';
import { Menu, MenuChoice, MenuItem, MenuSection } from '../components/menu.tsx';
import { useMedia } from '../components/media.ts';
import { useWords } from '../words/dictionary.ts';
import { useLanguage, type Language } from '../words/language.tsx';
import { shared } from '../words/shared.ts';
import { PersonLabel } from './person-menu.tsx';
import { applyTheme, storedTheme, type Theme } from './theme.ts';
import { frameWords } from './words.ts';

export function OpenPersonMenu() {
  const words = useWords(frameWords);
  const names = useWords(shared);
  const { user } = useSession();
  const { language, speak } = useLanguage();
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const isPhone = useMedia('phone');
  const navigate = useNavigate();
  const signOut = useSignOut();
  return (
    <Menu trigger={<PersonLabel />} className="person-button" defaultOpen>
      {isPhone && (
        <MenuSection title={words.go}>
          <MenuItem icon="contacts" onAction={() => void navigate({ to: '/contacts' })}>
            {names.contacts}
          </MenuItem>
          <MenuItem icon="import" onAction={() => void navigate({ to: '/import' })}>
            {names.import}
          </MenuItem>
        </MenuSection>
      )}
      <MenuSection title={user.email}>
        <MenuItem icon="settings" onAction={() => void navigate({ to: '/settings/profile' })}>
          {names.settings}
        </MenuItem>
        <MenuItem icon="code" onAction={() => void navigate({ to: '/developers' })}>
          {names.developers}
        </MenuItem>
        <MenuItem icon="info" keys="?" onAction={() => void navigate({ to: '/shortcuts' })}>
          {names.shortcuts}
        </MenuItem>
      </MenuSection>
      <MenuChoice<Theme>
        title={words.theme}
        chosen={theme}
        onChoose={(next) => {
          setTheme(next);
          applyTheme(next);
        }}
        options={[
          { id: 'system', label: words.system },
          { id: 'light', label: words.light },
          { id: 'dark', label: words.dark },
        ]}
      />
      <MenuChoice<Language>
        title={words.language}
        chosen={language}
        onChoose={(next) => speak({ language: next })}
        options={[
          { id: 'nb', label: 'Norsk' },
          { id: 'en', label: 'English' },
        ]}
      />
      <MenuSection label={words.signOut}>
        <MenuItem icon="signOut" onAction={() => signOut.mutate()}>
          {words.signOut}
        </MenuItem>
      </MenuSection>
    </Menu>
  );
}
