import { useQueryClient } from '@tanstack/react-query';
import { useRef } from 'react';
import { call } from '../../client/call.ts';
import { Explained, isProblem } from '../../client/problem.ts';
import { EditText } from '../../components/edit-text.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { contactQuery, type Contact, type Whole } from './queries.ts';
import { contactWords } from './words.ts';

type Field = 'name' | 'notes';

/** Name and notes, edited in place. What somebody else wrote there meanwhile is shown before it is overwritten. */
export function Details({ whole: { contact } }: { whole: Whole }) {
  const names = useWords(shared);
  const words = useWords(contactWords);
  const format = useFormat();
  return (
    <section className="contact-section" aria-label={names.details}>
      <DetailField contact={contact} field="name" label={names.name} />
      <DetailField contact={contact} field="notes" label={words.notes} rows={4} maxLength={20_000} />
      <p className="contact-added muted">{`${words.added} ${format.date(contact.created_at)}`}</p>
    </section>
  );
}

function DetailField({
  contact,
  field,
  ...props
}: {
  contact: Contact;
  field: Field;
  label: string;
  rows?: number;
  maxLength?: number;
}) {
  const { save, begin } = useSave(contact, field);
  return (
    <div
      role="presentation"
      onFocusCapture={({ target }) => begin(target)}
      onClickCapture={({ target }) => begin(target)}
    >
      <EditText
        {...props}
        value={contact[field] === '' ? null : contact[field]}
        onSave={(value) => save(value ?? '')}
      />
    </div>
  );
}

/**
 * Saves a field as long as it is what was seen when the editing began. The contact is another, too, when a detail was
 * added: then the field is as it was, and is saved.
 */
function useSave(contact: Contact, field: Field) {
  const words = useWords(contactWords);
  const client = useQueryClient();
  const { id } = contact;
  const query = contactQuery(id);
  const seen = useRef(contact[field]);

  const send = async (value: string, now: Whole) => {
    const theirs = now.contact[field];
    if (theirs !== seen.current) {
      seen.current = theirs;
      throw new Explained(theirs === '' ? words.cleared : words.changedTo(theirs));
    }
    const answer = await call('PATCH /contacts/{id}', {
      params: { id },
      body: { [field]: value },
      ifMatch: now.etag,
    });
    client.setQueryData(query.queryKey, (old) =>
      old ? { ...old, contact: answer.data.data, etag: answer.etag } : old,
    );
  };
  const fetchFresh = () => client.fetchQuery({ ...query, staleTime: 0 });
  const save = async (value: string) => {
    try {
      await send(value, client.getQueryData(query.queryKey) ?? (await fetchFresh()));
    } catch (error) {
      if (!isProblem(error, 'precondition_failed')) throw error;
      await send(value, await fetchFresh());
    }
    void client.invalidateQueries({ queryKey: ['contacts'] });
  };
  const begin = (target: EventTarget) => {
    if (target instanceof Element && target.closest('.edit-button')) seen.current = contact[field];
  };
  return { save, begin };
}
