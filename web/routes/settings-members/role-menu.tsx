import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
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
 * Changes a role at once, with undo, which does not bring back the link of an invitation; one's own role only after a
 * confirmation, because that has no undo. A closed `Select` would take letters as a choice, also those of a shortcut.
 */
export function RoleMenu({
  member,
  onLinkEnded,
}: {
  member: Member;
  /** The link of an invitation ends with the role that it was for. */
  onLinkEnded: (member: Member) => void;
}) {
  const said = useWords(words);
  const { role: roleNames } = useWords(shared);
  const { user } = useSession();
  const [asked, setAsked] = useState<Role>();
  const name = nameOf(member);
  const isOwn = member.id === user.id;
  const isInvited = member.joined_at === null;
  const setRole = (role: Role, from?: Role) =>
    call('PATCH /members/{id}', { params: { id: member.id }, body: { role, from } });
  /** The role before the last choice: where two are made in a row, the list may never have shown it. */
  const stored = useRef(member.role);
  const client = useQueryClient();
  const show = (role: Role) =>
    client.setQueryData<Member[]>(['members'], (members) =>
      members?.map((one) => (one.id === member.id ? { ...one, role } : one)),
    );
  const change = useMutationWithUndo<{ role: Role; before: Member }, Role>({
    scope: `member ${member.id}`,
    async run({ role, before }) {
      const was = stored.current;
      await setRole(role);
      stored.current = role;
      if (isInvited) onLinkEnded(before);
      return was;
    },
    ...(isOwn || isInvited
      ? {}
      : {
          async undo({ role }, was) {
            await setRole(was, role);
            stored.current = was;
            show(was);
          },
        }),
    show: ({ role }) => show(role),
    of: () => `member ${member.id}`,
    text({ role, before }) {
      const changed = said.roleChanged(name, said.asRole[role]);
      return isInvited && before.invitation_expires_at !== null ? said.linkEnded(changed) : changed;
    },
    keys: [['members'], ['session']],
    ownWords: { last_owner: said.lastOwner },
  });
  const choose = (role: Role) => {
    if (!change.isPending) stored.current = member.role;
    change.mutate({ role, before: member });
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
