import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRouter, useSearch } from '@tanstack/react-router';
import type { Session } from '../../client/application.ts';
import { call } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { safeNext, sessionQuery } from '../../client/session.ts';
import { leaveForProvider } from '../../client/single-sign-on.ts';
import { Button } from '../../components/button.tsx';
import { Form } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { Doorway } from '../../frame/doorway.tsx';
import { useWords } from '../../words/dictionary.ts';
import { PasskeyButton } from './passkey-button.tsx';
import { words } from './words.ts';

export function SignInPage() {
  const said = useWords(words);
  const router = useRouter();
  const client = useQueryClient();
  const next = safeNext(useSearch({ from: '/sign-in' }).next);
  // Signing in accepts the invitation that led here: somebody without a workspace gets in by it alone.
  const link = /^\/welcome\/([\w-]+)$/.exec(next)?.[1];
  const methods = useQuery(queryOf('GET /sign-in/methods')).data?.data.data;
  const enter = (session: Session) => {
    client.clear();
    client.setQueryData(sessionQuery.queryKey, session);
    router.history.push(link === undefined ? next : '/');
  };
  return (
    <Doorway title={said.title}>
      <Form
        ownWords={{ sign_in_failed: said.wrong, rate_limited: said.tooMany }}
        onSubmit={async ({ email = '', password = '' }) => {
          enter((await call('POST /sign-in', { body: { email, password, link } })).data.data);
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
      <div className="doorway-or" aria-hidden="true">
        {said.or}
      </div>
      {'credentials' in navigator && <PasskeyButton link={link} onSignedIn={enter} />}
      {methods?.sso && (
        <Button onPress={() => void leaveForProvider('sign-in', next)}>
          {said.sso(methods.sso_name ?? '')}
        </Button>
      )}
      <p className="muted">{said.help}</p>
    </Doorway>
  );
}
