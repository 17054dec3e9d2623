import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { Explained, isProblem } from '../../client/problem.ts';
import { EditText } from '../../components/edit-text.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { contactQuery, type Whole } from './queries.ts';
import { contactWords } from './words.ts';

type Field = 'name' | 'notes';

/** Name and notes, edited in place. What somebody else wrote there meanwhile is shown before it is overwritten. */
export function Details({ whole: { contact } }: { whole: Whole }) {
  const names = useWords(shared);
  const words = useWords(contactWords);
  const format = useFormat();
  const save = useSave(contact.id);
  return (
    <section className="contact-section" aria-label={names.details}>
      <EditText label={names.name} value={contact.name} onSave={(value) => save('name', value ?? '')} />
      <EditText
        label={words.notes}
        value={contact.notes === '' ? null : contact.notes}
        rows={4}
        maxLength={20_000}
        onSave={(value) => save('notes', value ?? '')}
      />
      <p className="contact-added muted">{`${words.added} ${format.date(contact.created_at)}`}</p>
    </section>
  );
}

/**
 * Saves a field as long as it is what was read. The contact is another, too, when a detail was added: then the
 * field is as it was, and is saved.
 */
function useSave(id: string): (field: Field, value: string) => Promise<void> {
  const words = useWords(contactWords);
  const client = useQueryClient();
  const query = contactQuery(id);

  const send = async (field: Field, value: string, etag: string | undefined) => {
    const answer = await call('PATCH /contacts/{id}', {
      params: { id },
      body: { [field]: value },
      ifMatch: etag,
    });
    client.setQueryData(query.queryKey, (old) =>
      old ? { ...old, contact: answer.data.data, etag: answer.etag } : old,
    );
  };
  return async (field, value) => {
    const read = client.getQueryData(query.queryKey);
    try {
      await send(field, value, read?.etag);
    } catch (error) {
      if (!isProblem(error, 'precondition_failed')) throw error;
      const now = await client.fetchQuery({ ...query, staleTime: 0 });
      const theirs = now.contact[field];
      if (theirs !== read?.contact[field]) {
        throw new Explained(theirs === '' ? words.cleared : words.changedTo(theirs));
      }
      await send(field, value, now.etag);
    }
    void client.invalidateQueries({ queryKey: ['contacts'] });
  };
}
