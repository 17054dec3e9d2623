import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import { call } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { safeNext, sessionQuery } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { Doorway } from '../../frame/doorway.tsx';
import { useWords } from '../../words/dictionary.ts';
import { words } from './words.ts';

export function SignInPage() {
  const said = useWords(words);
  const router = useRouter();
  const client = useQueryClient();
  const next = safeNext(useSearch({ from: '/sign-in' }).next);
  const methods = useQuery(queryOf('GET /sign-in/methods')).data?.data.data;
  return (
    <Doorway title={said.title}>
      <Form
        ownWords={{ unauthorized: said.wrong }}
        onSubmit={async ({ email = '', password = '' }) => {
          const { data } = await call('POST /sign-in', { body: { email, password } });
          client.clear();
          client.setQueryData(sessionQuery.queryKey, data.data);
          router.history.push(next);
        }}
      >
        {({ isPending }) => (
          <>
            <TextField
              name="email"
              type="email"
              label={said.email}
              autoComplete="username webauthn"
              isRequired
              autoFocus
            />
            <TextField
              name="password"
              type="password"
              label={said.password}
              autoComplete="current-password"
              isRequired
            />
            <Button type="submit" kind="primary" isPending={isPending}>
              {said.submit}
            </Button>
          </>
        )}
      </Form>
      {methods?.sso && (
        <Button
          onPress={() => window.location.assign(`/app/api/sign-in/sso?next=${encodeURIComponent(next)}`)}
        >
          {said.sso(methods.sso_name ?? 'SSO')}
        </Button>
      )}
      <p className="muted">{said.help}</p>
    </Doorway>
  );
}
