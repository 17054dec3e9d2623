import { call } from '../../client/call.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { contactsWords } from '../contacts/words.ts';
import { useAddingDraft, type useAdding } from './use-adding.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

/** A person who is new here, with the role at the company. */
export function ContactForm({ company, adding }: { company: Company; adding: ReturnType<typeof useAdding> }) {
  const said = useWords(words);
  const names = useWords(shared);
  const { partly } = useWords(contactsWords);
  const { values, field, set, keyOf, cancel, done } = useAddingDraft(adding, `contact ${company.id}`, {
    name: '',
    role: '',
    email: '',
    phone: '',
    /** Whom an attempt that failed halfway has made. */
    made: null as { id: string; name: string } | null,
    isPartly: false,
  });
  const makeContact = async (name: string) => {
    const { made } = values;
    if (made?.name === name) return { id: made.id };
    const { data } =
      made === null
        ? await call('POST /contacts', { body: { name }, idempotencyKey: keyOf({ name }) })
        : await call('PATCH /contacts/{id}', { params: { id: made.id }, body: { name } });
    const { id } = data.data;
    set({ made: { id, name } });
    return { id };
  };
  const add = async ({ name = '', role = '', email = '', phone = '' }: Readonly<Record<string, string>>) => {
    const params = await makeContact(name.trim());
    const link = { company_id: company.id, role: role.trim() || null };
    const points = [
      { type: 'email' as const, value: email.trim() },
      { type: 'telephone' as const, value: phone.trim() },
    ];
    try {
      await call('POST /contacts/{id}/companies', { params, body: link, idempotencyKey: keyOf(link) });
      for (const body of points.filter(({ value }) => value !== '')) {
        await call('POST /contacts/{id}/points', { params, body, idempotencyKey: keyOf(body) });
      }
    } catch (error) {
      set({ isPartly: true });
      throw error;
    }
    await done(said.contactAdded(name.trim()), 'contacts');
  };
  return (
    <div className="company-form">
      <Form onSubmit={add} onCancel={cancel} ownWords={{ invalid_reference: said.wasDeleted(company.name) }}>
        {values.isPartly && <p role="status">{partly}</p>}
        <div className="form-row">
          <TextField name="name" label={names.name} maxLength={255} isRequired autoFocus {...field('name')} />
          <TextField name="role" label={said.role} maxLength={255} {...field('role')} />
          <TextField name="email" type="email" label={said.email} maxLength={254} {...field('email')} />
          <TextField name="phone" type="tel" label={said.phone} maxLength={255} {...field('phone')} />
        </div>
        <FormButtons onCancel={cancel}>{names.add}</FormButtons>
      </Form>
    </div>
  );
}
