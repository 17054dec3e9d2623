import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { loadCode } from '../../client/online.ts';
import { call, type CallOptions } from '../../client/call.ts';
import { CallProblem, isProblem } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';
import { sessionQuery } from '../../client/session.ts';
import { leaveForProvider } from '../../client/single-sign-on.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Form, SubmitButton } from '../../components/form.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { TextField } from '../../components/text-field.tsx';
import { Doorway } from '../../frame/doorway.tsx';
import { OfflineBand } from '../../frame/offline-band.tsx';
import { useWords } from '../../words/dictionary.ts';
import { words } from './words.ts';

// Only a reset needs this part. The form waits for it, so that nothing is sent before the part is seen.
const OtherWays = lazy(() =>
  loadCode(() => import('./other-ways.tsx')).then((it) => ({ default: it.OtherWays })),
);

const MIN_PASSWORD = 10;

/** The address of the first owner, until somebody gives their own. */
const PLACEHOLDER = 'owner@localhost';
const NOBODY = { first_name: '', last_name: '' };

export function WelcomePage() {
  const said = useWords(words);
  const { token } = useParams({ from: '/welcome/$token' });
  const client = useQueryClient();
  const navigate = useNavigate();
  const methods = useQuery(queryOf('GET /sign-in/methods')).data?.data.data;
  const { data, error, refetch } = useQuery(queryOf('GET /welcome/{token}', { params: { token } }));

  const [isUsed, setIsUsed] = useState(false);
  const accept = async (body: CallOptions<'POST /welcome/{token}'>['body']) => {
    try {
      const answer = await call('POST /welcome/{token}', { params: { token }, body });
      client.clear();
      client.setQueryData(sessionQuery.queryKey, answer.data.data);
      await navigate({ to: '/', replace: true });
    } catch (failure) {
      if (!isProblem(failure, 'link_used')) throw failure;
      // Perhaps by an earlier try, whose answer was lost: signing in is what is left to do.
      setIsUsed(true);
    }
  };

  if (isUsed || (error instanceof CallProblem && (error.status === 404 || error.status === 410)))
    return <Gone />;
  // What was typed stays when the link cannot be read again.
  if (error && !data) {
    return (
      <Doorway title={said.loading}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Doorway>
    );
  }
  if (!data) {
    return (
      <Doorway title={said.loading}>
        <OfflineBand />
        <Skeleton kind="text" />
      </Doorway>
    );
  }
  const { kind, email, workspace_name: workspace, other_ways: ways } = data.data.data;
  if (data.data.data.needs_sign_in)
    return <Join token={token} email={email} workspace={workspace ?? ''} onJoin={() => accept({})} />;
  const isReset = kind === 'reset';
  const isUnnamed = !isReset && email === PLACEHOLDER;
  const { first_name: first, last_name: last } = isUnnamed ? NOBODY : namesOf(data.data.data);
  return (
    <Doorway
      title={isReset ? said.resetTitle : said.title(workspace ?? '')}
      intro={isReset ? said.resetIntro(email) : isUnnamed ? said.unnamedIntro : said.intro(email)}
    >
      <Suspense fallback={<Skeleton kind="text" />}>
        <Form
          onSubmit={async ({
            first_name = first,
            last_name = last,
            email: typed = '',
            password = '',
            ...rest
          }) => {
            const body = isReset
              ? { password, remove_other_ways: 'remove_other_ways' in rest }
              : { first_name, last_name, email: typed || email, password };
            await accept(body);
          }}
        >
          {isUnnamed ? null : (
            // Password managers store the account by it.
            <input
              type="email"
              name="username"
              autoComplete="username"
              defaultValue={email}
              readOnly
              hidden
            />
          )}
          {!isReset && (
            <div className="form-row">
              <TextField
                name="first_name"
                label={said.firstName}
                autoComplete="given-name"
                defaultValue={first}
                isRequired
              />
              <TextField
                name="last_name"
                label={said.lastName}
                autoComplete="family-name"
                defaultValue={last}
                isRequired
              />
            </div>
          )}
          {isUnnamed && (
            <TextField
              name="email"
              type="email"
              label={said.email}
              hint={said.emailHint(email)}
              autoComplete="username"
            />
          )}
          <TextField
            name="password"
            type="password"
            label={said.password}
            hint={said.passwordHint}
            autoComplete="new-password"
            minLength={MIN_PASSWORD}
            isRequired
          />
          {ways && <OtherWays ways={ways} />}
          <SubmitButton kind="primary">{isReset ? said.reset : said.create}</SubmitButton>
        </Form>
      </Suspense>
      {!isReset && methods?.sso && (
        <Form onSubmit={() => leaveForProvider('sign-in', '/', { link: token })}>
          <SubmitButton>{said.sso(methods.sso_name ?? '')}</SubmitButton>
        </Form>
      )}
    </Doorway>
  );
}

/** Where an invitation gave no names, the service has the address in place of the first. */
function namesOf(person: { email: string; first_name: string; last_name: string }) {
  const isAddress = person.last_name === '' && person.email.startsWith(`${person.first_name}@`);
  return isAddress ? NOBODY : person;
}

/** For somebody who has an account already: the invitation is accepted with it, by nobody else. */
function Join({
  token,
  email,
  workspace,
  onJoin,
}: {
  token: string;
  email: string;
  workspace: string;
  onJoin: () => Promise<void>;
}) {
  const said = useWords(words);
  const { data: session } = useQuery(sessionQuery);
  return (
    <Doorway title={said.title(workspace)} intro={said.joinIntro(email)}>
      {session?.user.email.toLowerCase() === email.toLowerCase() ? (
        <Form onSubmit={onJoin}>
          <SubmitButton kind="primary">{said.join}</SubmitButton>
        </Form>
      ) : (
        <LinkButton to="/sign-in" search={{ next: `/welcome/${token}` }} kind="primary">
          {said.toSignIn}
        </LinkButton>
      )}
    </Doorway>
  );
}

function Gone() {
  const said = useWords(words);
  return (
    <Doorway title={said.goneTitle} intro={said.gone}>
      <LinkButton to="/sign-in" kind="primary">
        {said.toSignIn}
      </LinkButton>
    </Doorway>
  );
}
