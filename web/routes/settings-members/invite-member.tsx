import { useState } from 'react';
import { call } from '../../client/call.ts';
import type { Role } from '../../client/application.ts';
import { useRole } from '../../client/session.ts';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import type { NewLink } from './member.ts';
import { words } from './words.ts';

const ROLES = ['member', 'admin', 'owner'] as const;

export function InviteMember({
  onCreated,
  onClose,
}: {
  onCreated: (link: NewLink) => void;
  onClose: () => void;
}) {
  const said = useWords(words);
  const { role: roleNames } = useWords(shared);
  const isOwner = useRole('owner');
  const [role, setRole] = useState<Role>('member');
  return (
    <Dialog title={said.inviteTitle} onClose={onClose}>
      <Form
        onSubmit={async ({ email = '', first_name = '', last_name = '' }) => {
          const { data } = await call('POST /members/invite', {
            body: {
              email,
              role,
              ...(first_name.trim() === '' ? {} : { first_name }),
              ...(last_name.trim() === '' ? {} : { last_name }),
            },
          });
          onCreated({ kind: 'invitation', ...data.data });
        }}
      >
        <TextField name="email" type="email" label={said.email} maxLength={254} isRequired autoFocus />
        <div className="form-row">
          <TextField name="first_name" label={said.firstName} maxLength={255} hint={said.optional} />
          <TextField name="last_name" label={said.lastName} maxLength={255} />
        </div>
        {isOwner ? (
          <Select
            label={said.role}
            options={ROLES.map((id) => ({ id, label: roleNames[id] }))}
            value={role}
            onChange={setRole}
          />
        ) : (
          <p>{said.asMember}</p>
        )}
        <p className="muted">{said.may[role]}</p>
        <FormButtons onCancel={onClose}>{said.createLink}</FormButtons>
      </Form>
    </Dialog>
  );
}
