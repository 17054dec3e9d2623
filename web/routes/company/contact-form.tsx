import { useRef } from 'react';
import { call } from '../../client/call.ts';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import type { useAdding } from './use-adding.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

/** A person who is new here, with the role at the company. */
export function ContactForm({ company, adding }: { company: Company; adding: ReturnType<typeof useAdding> }) {
  const said = useWords(words);
  const names = useWords(shared);
  const { keyOf } = adding;
  /** Whom an attempt that failed halfway has made. */
  const made = useRef<{ id: string; name: string }>(undefined);
  const makeContact = async (name: string) => {
    const { current } = made;
    if (current === undefined) {
      const { data } = await call('POST /contacts', { body: { name }, idempotencyKey: keyOf({ name }) });
      made.current = data.data;
    } else if (current.name !== name) {
      made.current = (
        await call('PATCH /contacts/{id}', { params: { id: current.id }, body: { name } })
      ).data.data;
    }
    return { id: made.current!.id };
  };
  const add = async ({ name = '', role = '', email = '', phone = '' }: Readonly<Record<string, string>>) => {
    const params = await makeContact(name.trim());
    const link = { company_id: company.id, role: role.trim() || null };
    await call('POST /contacts/{id}/companies', { params, body: link, idempotencyKey: keyOf(link) });
    const points = [
      { type: 'email' as const, value: email.trim() },
      { type: 'mobile' as const, value: phone.trim() },
    ];
    for (const body of points.filter(({ value }) => value !== '')) {
      await call('POST /contacts/{id}/points', { params, body, idempotencyKey: keyOf(body) });
    }
    await adding.done(said.contactAdded(name.trim()), 'contacts');
  };
  return (
    <div className="company-form">
      <Form onSubmit={add} onCancel={adding.close}>
        <div className="form-row">
          <TextField name="name" label={names.name} maxLength={255} isRequired autoFocus />
          <TextField name="role" label={said.role} maxLength={255} />
          <TextField name="email" type="email" label={said.email} maxLength={254} />
          <TextField name="phone" type="tel" label={said.phone} maxLength={255} />
        </div>
        <FormButtons onCancel={adding.close}>{names.add}</FormButtons>
      </Form>
    </div>
  );
}
