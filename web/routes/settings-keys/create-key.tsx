import { useState } from 'react';
import { Dialog } from '../../components/dialog.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { useCreateKey, type NewKey, type Permission } from './access.ts';
import { PermissionGrid } from './permission-grid.tsx';
import { words } from './words.ts';

const LIFETIMES = ['never', '30', '90', '365'] as const;
type Lifetime = (typeof LIFETIMES)[number];

const DAY_MS = 86_400_000;

export function CreateKey({
  onCreated,
  onClose,
}: {
  onCreated: (created: NewKey) => void;
  onClose: () => void;
}) {
  const said = useWords(words);
  const { name: nameLabel } = useWords(shared);
  const create = useCreateKey();
  const [permissions, setPermissions] = useState<readonly Permission[]>([]);
  const [lifetime, setLifetime] = useState<Lifetime>('never');
  const [isMissing, setIsMissing] = useState(false);
  return (
    <Dialog title={said.create} onClose={onClose}>
      <Form
        ownWords={{ limit_reached: said.tooMany }}
        check={() => {
          setIsMissing(permissions.length === 0);
          return permissions.length > 0;
        }}
        onSubmit={async ({ name = '' }) => {
          onCreated(await create({ name, permissions: [...permissions], expires_at: endOf(lifetime) }));
        }}
      >
        <TextField name="name" label={nameLabel} hint={said.nameHint} maxLength={255} isRequired autoFocus />
        <PermissionGrid
          chosen={permissions}
          onChange={(chosen) => {
            setPermissions(chosen);
            setIsMissing(false);
          }}
          error={isMissing ? said.choose : undefined}
        />
        <Select
          label={said.expires}
          options={LIFETIMES.map((id) => ({ id, label: said.lifetimes[id] }))}
          value={lifetime}
          onChange={setLifetime}
        />
        <FormButtons onCancel={onClose}>{said.create}</FormButtons>
      </Form>
    </Dialog>
  );
}

function endOf(lifetime: Lifetime): string | null {
  if (lifetime === 'never') return null;
  return new Date(Date.now() + Number(lifetime) * DAY_MS).toISOString();
}
