import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { isProblem } from '../../client/problem.ts';
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
  const { save, theirs } = useSave(contact.id);
  const theirsOf = (field: Field) => {
    if (theirs?.field !== field) return undefined;
    return theirs.value === '' ? words.cleared : words.changedTo(theirs.value);
  };
  return (
    <section className="contact-section" aria-label={names.details}>
      <EditText label={names.name} value={contact.name} onSave={(value) => save('name', value ?? '')} />
      <Theirs text={theirsOf('name')} />
      <EditText
        label={words.notes}
        value={contact.notes === '' ? null : contact.notes}
        rows={4}
        maxLength={20_000}
        onSave={(value) => save('notes', value ?? '')}
      />
      <Theirs text={theirsOf('notes')} />
      <p className="contact-added muted">{`${words.added} ${format.date(contact.created_at)}`}</p>
    </section>
  );
}

function Theirs({ text }: { text: string | undefined }) {
  return (
    <p role="status" className="contact-theirs">
      {text}
    </p>
  );
}

/**
 * Saves a field as long as it is what was read. The contact is another, too, when a detail was added: then the
 * field is as it was, and is saved.
 */
function useSave(id: string) {
  const client = useQueryClient();
  const query = contactQuery(id);
  const [theirs, setTheirs] = useState<{ field: Field; value: string }>();

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
  const save = async (field: Field, value: string): Promise<void> => {
    const read = client.getQueryData(query.queryKey);
    try {
      await send(field, value, read?.etag);
    } catch (error) {
      if (!isProblem(error, 'precondition_failed')) throw error;
      const now = await client.fetchQuery({ ...query, staleTime: 0 });
      if (now.contact[field] !== read?.contact[field]) {
        setTheirs({ field, value: now.contact[field] });
        throw error;
      }
      await send(field, value, now.etag);
    }
    setTheirs(undefined);
    void client.invalidateQueries({ queryKey: ['contacts'] });
  };
  return { save, theirs };
}
