import { useQueryClient } from '@tanstack/react-query';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { NOTHING_STORED, storeContact } from '../contacts/store.ts';
import { contactsWords } from '../contacts/words.ts';
import { useAddingDraft, type useAdding } from './use-adding.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

/** A person who is new here, with the role at the company. */
export function ContactForm({ company, adding }: { company: Company; adding: ReturnType<typeof useAdding> }) {
  const said = useWords(words);
  const names = useWords(shared);
  const { partly } = useWords(contactsWords);
  const client = useQueryClient();
  const { values, field, set, idOf, keyOf, forgetSent, cancel, done } = useAddingDraft(
    adding,
    `contact ${company.id}`,
    {
      name: '',
      role: '',
      email: '',
      telephone: '',
      ...NOTHING_STORED,
    },
  );
  const add = async (typed: Readonly<Record<string, string>>) => {
    await storeContact(typed, company.id, { draft: values, set, idOf, keyOf, forgetSent, client });
    await done(said.contactAdded((typed.name ?? '').trim()), 'contacts');
  };
  return (
    <div className="company-form">
      <Form onSubmit={add} onCancel={cancel} ownWords={{ invalid_reference: said.wasDeleted(company.name) }}>
        {values.isPartly && <p role="status">{partly}</p>}
        <div className="form-row">
          <TextField name="name" label={names.name} maxLength={255} isRequired autoFocus {...field('name')} />
          <TextField name="role" label={said.role} maxLength={255} {...field('role')} />
          <TextField name="email" type="email" label={said.email} maxLength={254} {...field('email')} />
          <TextField name="telephone" type="tel" label={said.phone} maxLength={255} {...field('telephone')} />
        </div>
        <FormButtons onCancel={cancel}>{names.add}</FormButtons>
      </Form>
    </div>
  );
}
