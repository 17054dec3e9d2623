import { useState } from 'react';
import type { Role } from '../../client/application.ts';
import { call } from '../../client/call.ts';
import { useSession } from '../../client/session.ts';
import { useMutationWithUndo } from '../../client/undo.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Menu, MenuChoice } from '../../components/menu.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { nameOf, type Member } from './member.ts';
import { words } from './words.ts';

const ROLES = ['member', 'admin', 'owner'] as const;

/**
 * Changes a role at once, with undo; one's own only after a question, for one cannot take it back. No list that, closed,
 * takes the letters of a shortcut for the role that begins with them.
 */
export function RoleMenu({ member }: { member: Member }) {
  const said = useWords(words);
  const { role: roleNames } = useWords(shared);
  const { user } = useSession();
  const [asked, setAsked] = useState<Role>();
  const name = nameOf(member);
  const isOwn = member.id === user.id;
  const setRole = (role: Role) => call('PATCH /members/{id}', { params: { id: member.id }, body: { role } });
  // The list may show the new role before the change is answered: what was there before is kept with it.
  const change = useMutationWithUndo<{ role: Role; before: Role }, unknown>({
    run: ({ role }) => setRole(role),
    ...(isOwn ? {} : { undo: ({ before }) => setRole(before) }),
    of: () => `member ${member.id}`,
    text: ({ role }) => said.roleChanged(name, said.asRole[role]),
    keys: [['members'], ['session']],
    ownWords: { last_owner: said.lastOwner },
  });
  const choose = (role: Role) => {
    if (!change.isPending) change.mutate({ role, before: member.role });
  };
  return (
    <>
      <Menu
        className="member-role"
        trigger={
          <>
            <span className="visually-hidden">{`${said.roleOf(name)}: `}</span>
            {roleNames[member.role]}
            <Icon name="down" />
          </>
        }
      >
        <MenuChoice
          title={said.role}
          options={ROLES.map((id) => ({ id, label: roleNames[id] }))}
          chosen={member.role}
          onChoose={(role) => {
            if (isOwn) setAsked(role);
            else choose(role);
          }}
        />
      </Menu>
      {asked && (
        <ConfirmDialog
          title={said.stepDownTitle}
          action={said.stepDownAction}
          onConfirm={() => {
            choose(asked);
            setAsked(undefined);
          }}
          onClose={() => setAsked(undefined)}
        >
          <p>{said.stepDown}</p>
        </ConfirmDialog>
      )}
    </>
  );
}
