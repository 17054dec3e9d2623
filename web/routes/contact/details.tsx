import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { EditText } from '../../components/edit-text.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { useOverSeen } from './over-seen.ts';
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
    <EditText
      {...props}
      value={contact[field] === '' ? null : contact[field]}
      onBegin={begin}
      onSave={(value) => save(value ?? '')}
    />
  );
}

function useSave(contact: Contact, field: Field) {
  const client = useQueryClient();
  const { id } = contact;
  const { see, writeOver } = useOverSeen(id, (whole) => whole.contact[field], contact[field]);
  const save = async (value: string) => {
    const params = { id };
    const answer = await writeOver({
      write: (ifMatch) => call('PATCH /contacts/{id}', { params, body: { [field]: value }, ifMatch }),
      wanted: value,
    });
    client.setQueryData(contactQuery(id).queryKey, (old) =>
      old && answer ? { ...old, contact: answer.data.data, etag: answer.etag } : old,
    );
    void client.invalidateQueries({ queryKey: ['contacts'] });
  };
  return { save, begin: see };
}
