import { useState } from 'react';
import type { Role } from '../../client/application.ts';
import { call } from '../../client/call.ts';
import { useSession } from '../../client/session.ts';
import { useMutationWithUndo } from '../../client/undo.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { Select } from '../../components/select.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { nameOf, type Member } from './member.ts';
import { words } from './words.ts';

const ROLES = ['member', 'admin', 'owner'] as const;

/** Changes a role at once, with undo; one's own only after a question, for one cannot take it back. */
export function RoleSelect({ member }: { member: Member }) {
  const said = useWords(words);
  const { role: roleNames } = useWords(shared);
  const { user } = useSession();
  const [asked, setAsked] = useState<Role>();
  const name = nameOf(member);
  const isOwn = member.id === user.id;
  const setRole = (role: Role) => call('PATCH /members/{id}', { params: { id: member.id }, body: { role } });
  const change = useMutationWithUndo<Role, unknown>({
    run: setRole,
    ...(isOwn ? {} : { undo: () => setRole(member.role) }),
    of: () => `member ${member.id}`,
    text: (role) => said.roleChanged(name, roleNames[role]),
    keys: [['members'], ['session']],
    ownWords: { last_owner: said.lastOwner },
  });
  return (
    <>
      <Select
        label={said.roleOf(name)}
        hideLabel
        options={ROLES.map((id) => ({ id, label: roleNames[id] }))}
        value={member.role}
        isDisabled={change.isPending}
        onChange={(role) => {
          if (role === member.role) return;
          if (isOwn) setAsked(role);
          else change.mutate(role);
        }}
      />
      {asked && (
        <ConfirmDialog
          title={said.stepDownTitle}
          action={said.stepDownAction}
          onConfirm={() => {
            change.mutate(asked);
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
