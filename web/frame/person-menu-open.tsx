import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { call } from '../client/call.ts';
import { loadWorkspace, sessionQuery, useSession, useSignOut } from '../client/session.ts';
import { giveUpUnsaved, hasUnsaved } from '../client/unsaved.ts';
import { ConfirmDialog } from '../components/dialog.tsx';
import { Menu, MenuChoice, MenuItem, MenuSection } from '../components/menu.tsx';
import { useMedia } from '../components/media.ts';
import { useWords } from '../words/dictionary.ts';
import { useLanguage, type Language } from '../words/language.ts';
import { useProblemText } from '../words/problems.ts';
import { shared } from '../words/shared.ts';
import { useListSearch } from './list-searches.tsx';
import { PersonLabel } from './person-menu.tsx';
import { applyTheme, storedTheme, type Theme } from './theme.ts';
import { useToast } from './toasts.tsx';
import { frameWords } from './words.ts';

async function moveTo(workspace_id: string): Promise<void> {
  await call('POST /session/workspace', { body: { workspace_id } });
  // If something would be lost, the person has been asked.
  giveUpUnsaved();
  loadWorkspace(workspace_id);
}

export function OpenPersonMenu() {
  const words = useWords(frameWords);
  const names = useWords(shared);
  const { user, workspace, workspaces } = useSession();
  const { language, speak } = useLanguage();
  const [theme, setTheme] = useState<Theme>(storedTheme);
  const isPhone = useMedia('phone');
  const navigate = useNavigate();
  const searchOf = useListSearch();
  const signOut = useSignOut();
  const client = useQueryClient();
  const toast = useToast();
  const text = useProblemText();
  const tell = { onError: (error: Error) => toast({ text: text(error), kind: 'failed' }) };
  const move = useMutation({ mutationFn: moveTo });
  /** The workspace that was chosen, while the person is asked whether to go there and lose what is unsaved. */
  const [asked, setAsked] = useState<string>();
  const save = useMutation({
    mutationFn: (next: Language) => call('PATCH /profile', { body: { language: next } }),
    onSuccess: ({ data }) => client.setQueryData(sessionQuery.queryKey, data.data),
  });
  return (
    <>
      <Menu trigger={<PersonLabel />} className="person-button" defaultOpen>
        {isPhone && (
          <MenuSection title={words.go}>
            <MenuItem
              icon="contacts"
              onAction={() => void navigate({ to: '/contacts', search: searchOf('/contacts') })}
            >
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
        {workspaces.length > 1 && (
          <MenuChoice
            title={names.workspace}
            chosen={workspace.id}
            onChoose={(id) => (hasUnsaved() ? setAsked(id) : move.mutate(id, tell))}
            options={workspaces.map(({ id, name }) => ({ id, label: name }))}
          />
        )}
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
          onChoose={(next) => {
            speak({ language: next });
            save.mutate(next, tell);
          }}
          options={[
            { id: 'nb', label: 'Norsk' },
            { id: 'en', label: 'English' },
          ]}
        />
        <MenuSection label={words.signOut}>
          <MenuItem icon="signOut" onAction={() => signOut.mutate(undefined, tell)}>
            {words.signOut}
          </MenuItem>
        </MenuSection>
      </Menu>
      {asked && (
        <ConfirmDialog
          title={words.unsaved}
          action={words.moveAnyway}
          isPending={move.isPending}
          onConfirm={() => move.mutate(asked, { ...tell, onSettled: () => setAsked(undefined) })}
          onClose={() => setAsked(undefined)}
        >
          <p>{words.unsavedText}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
