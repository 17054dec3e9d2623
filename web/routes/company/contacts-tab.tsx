import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { CallResult } from '../../client/call.ts';
import { listOf } from '../../client/queries.ts';
import { Button } from '../../components/button.tsx';
import { BreakableAddress } from '../../components/breakable-address.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { mailAddress } from '../contact/mail.ts';
import { telephoneAddress } from '../contact/telephone.ts';
import { ContactForm } from './contact-form.tsx';
import { LinkContact } from './link-contact.tsx';
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
  const group = names.contacts;
  const isAllowed = !company.is_deleted;
  // Opening one form closes the other, which keeps what was typed.
  const adding = useAdding({
    label: said.addContact,
    group,
    keys: 'n',
    isAllowed,
    onOpen() {
      linking.close();
    },
  });
  const linking = useAdding({
    label: said.linkContact,
    group,
    isAllowed,
    onOpen() {
      adding.close();
    },
  });
  return (
    <section className="company-tab" aria-label={names.contacts}>
      {adding.isOpen && <ContactForm company={company} adding={adding} />}
      {linking.isOpen && <LinkContact company={company} adding={linking} />}
      {isAllowed && !adding.isOpen && !linking.isOpen && (
        <div className="company-actions">
          <Button id={adding.buttonId} icon="plus" onPress={adding.open}>
            {said.addContact}
          </Button>
          <Button id={linking.buttonId} icon="link" kind="quiet" onPress={linking.open}>
            {said.linkContact}
          </Button>
        </div>
      )}
      <TabList found={found} empty={said.contactsEmpty}>
        {(contacts) => (
          <ul className="company-list">
            {contacts.map((contact) => (
              <ContactRow key={contact.id} contact={contact} company={company} />
            ))}
          </ul>
        )}
      </TabList>
    </section>
  );
}

function ContactRow({ contact, company }: { contact: Contact; company: Company }) {
  const { empty } = useWords(shared);
  const { points = [], links = [] } = contact;
  const role = links.find(({ company_id }) => company_id === company.id)?.role;
  const email = points.find(({ type }) => type === 'email')?.value;
  const phone = points.find(({ type }) => type === 'mobile' || type === 'telephone')?.value;
  const telephone = phone === undefined ? undefined : telephoneAddress(phone);
  return (
    <li className="company-row">
      <div className="company-row-main">
        <Link to="/contacts/$id" params={{ id: contact.id }}>
          {contact.name}
        </Link>
        {role && <span className="company-row-more">{role}</span>}
      </div>
      <div className="company-row-more company-row-end">
        {email && (
          <a href={mailAddress(email)}>
            <span>
              <BreakableAddress address={email} />
            </span>
          </a>
        )}
        <span className="company-row-phone" data-none={phone === undefined || undefined}>
          {telephone ? <a href={telephone}>{phone}</a> : (phone ?? empty)}
        </span>
      </div>
    </li>
  );
}
