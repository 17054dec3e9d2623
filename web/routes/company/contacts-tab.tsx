import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { call, type CallResult } from '../../client/call.ts';
import { listOf } from '../../client/queries.ts';
import { Button } from '../../components/button.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { TabList } from './tab-list.tsx';
import { useAdding } from './use-adding.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

type Contact = CallResult<'GET /contacts'>['data']['data'][number];

/** The people at the company. */
export function ContactsTab({ company }: { company: Company }) {
  const said = useWords(words);
  const names = useWords(shared);
  const found = useInfiniteQuery({
    ...listOf('GET /contacts', { query: { company_id: company.id, include: 'points,links', sort: 'name' } }),
    placeholderData: undefined,
  });
  const adding = useAdding({ label: said.addContact, group: names.contacts, isAllowed: !company.is_deleted });
  const add = !company.is_deleted && (
    <Button icon="plus" onPress={adding.open}>
      {said.addContact}
    </Button>
  );
  return (
    <section className="company-tab" aria-label={names.contacts}>
      {adding.isOpen ? (
        <ContactForm company={company} adding={adding} />
      ) : (
        <div ref={adding.button}>{add}</div>
      )}
      <TabList found={found} empty={said.contactsEmpty} action={null}>
        {(contact) => <ContactRow key={contact.id} contact={contact} company={company} />}
      </TabList>
    </section>
  );
}

function ContactRow({ contact, company }: { contact: Contact; company: Company }) {
  const { points = [], links = [] } = contact;
  const role = links.find(({ company_id }) => company_id === company.id)?.role;
  const email = points.find(({ type }) => type === 'email')?.value;
  const phone = points.find(({ type }) => type === 'mobile' || type === 'telephone')?.value;
  return (
    <li className="company-row">
      <div className="company-row-main">
        <Link to="/contacts/$id" params={{ id: contact.id }}>
          {contact.name}
        </Link>
        {role && <span className="company-row-more">{role}</span>}
      </div>
      <div className="company-row-more company-row-end">
        {email && <a href={`mailto:${email}`}>{email}</a>}
        {phone && <a href={`tel:${phone.replaceAll(' ', '')}`}>{phone}</a>}
      </div>
    </li>
  );
}

function ContactForm({ company, adding }: { company: Company; adding: ReturnType<typeof useAdding> }) {
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
      <Form onSubmit={add}>
        {({ isPending }) => (
          <>
            <div className="form-row">
              <TextField name="name" label={names.name} maxLength={255} isRequired autoFocus />
              <TextField name="role" label={said.role} maxLength={255} />
              <TextField name="email" type="email" label={said.email} maxLength={254} />
              <TextField name="phone" type="tel" label={said.phone} maxLength={255} />
            </div>
            <div className="form-buttons">
              <Button onPress={adding.close}>{names.cancel}</Button>
              <Button type="submit" kind="primary" isPending={isPending}>
                {names.add}
              </Button>
            </div>
          </>
        )}
      </Form>
    </div>
  );
}
