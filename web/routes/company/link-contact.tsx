import { useState } from 'react';
import { call } from '../../client/call.ts';
import { ComboBox, type Found } from '../../components/combo-box.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { addLink } from '../contacts/add-rows.ts';
import { searchContacts } from '../contacts/queries.ts';
import { useAddingDraft, type useAdding } from './use-adding.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

/** Somebody who is a contact already, with the role at this company. */
export function LinkContact({ company, adding }: { company: Company; adding: ReturnType<typeof useAdding> }) {
  const said = useWords(words);
  const names = useWords(shared);
  const draft = useAddingDraft(adding, `link ${company.id}`, { contact: null as Found | null, role: '' });
  const { field, set, cancel, done } = draft;
  const { contact } = draft.values;
  const [isMissing, setIsMissing] = useState(false);
  const link = async ({ role = '' }: Readonly<Record<string, string>>) => {
    setIsMissing(contact === null);
    if (contact === null) return;
    const id = await addLink(contact.id, { company_id: company.id, role: role.trim() || null }, draft);
    const params = { id: contact.id, linkId: String(id) };
    await done(said.contactLinked(contact.label), 'contacts', {
      of: `link ${id}`,
      run: () => call('DELETE /contacts/{id}/companies/{linkId}', { params }),
    });
  };
  return (
    <div className="company-form">
      <Form onSubmit={link} onCancel={cancel}>
        <div className="form-row">
          <ComboBox
            label={said.linkWhom}
            placeholder={said.linkHint}
            searchKey={['contacts', 'choose', 'for', company.id]}
            search={(text, signal) => searchContacts(text, signal, company.id)}
            initial={contact}
            follows
            onChoose={(found) => set({ contact: found })}
            error={isMissing && contact === null ? said.linkChoose : undefined}
            autoFocus
          />
          <TextField name="role" label={said.role} maxLength={255} autoComplete="off" {...field('role')} />
        </div>
        <FormButtons onCancel={cancel}>{names.add}</FormButtons>
      </Form>
    </div>
  );
}
