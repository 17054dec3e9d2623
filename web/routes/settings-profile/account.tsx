import { useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { sessionQuery, useSession } from '../../client/session.ts';
import { Form, SubmitButton } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { words } from './words.ts';

/** The person's names. The language is chosen in the person menu. */
export function Account() {
  const said = useWords(words);
  const { save } = useWords(shared);
  const { user } = useSession();
  const client = useQueryClient();
  const toast = useToast();
  return (
    <section className="profile-part" aria-labelledby="profile-account">
      <h2 id="profile-account">{said.account}</h2>
      <p className="muted">{said.email(user.email)}</p>
      <Form
        onSubmit={async ({ first_name = '', last_name = '' }) => {
          const { data } = await call('PATCH /profile', { body: { first_name, last_name } });
          client.setQueryData(sessionQuery.queryKey, data.data);
          void client.invalidateQueries({ queryKey: ['users'] });
          toast({ text: said.saved });
        }}
      >
        <div className="form-row">
          <TextField
            name="first_name"
            label={said.firstName}
            autoComplete="given-name"
            defaultValue={user.first_name}
            isRequired
          />
          <TextField
            name="last_name"
            label={said.lastName}
            autoComplete="family-name"
            defaultValue={user.last_name}
          />
        </div>
        <SubmitButton>{save}</SubmitButton>
      </Form>
    </section>
  );
}
