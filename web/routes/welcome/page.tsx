import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { call } from '../../client/call.ts';
import { CallProblem } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';
import { sessionQuery } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Form } from '../../components/form.tsx';
import { LinkButton } from '../../components/link-button.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { TextField } from '../../components/text-field.tsx';
import { Doorway } from '../../frame/doorway.tsx';
import { useWords } from '../../words/dictionary.ts';
import { words } from './words.ts';

const MIN_PASSWORD = 12;

export function WelcomePage() {
  const said = useWords(words);
  const { token } = useParams({ from: '/welcome/$token' });
  const client = useQueryClient();
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery(queryOf('GET /welcome/{token}', { params: { token } }));

  if (error instanceof CallProblem && (error.status === 404 || error.status === 410)) return <Gone />;
  if (error) {
    return (
      <Doorway title={said.loading}>
        <ErrorState error={error} onRetry={() => void refetch()} />
      </Doorway>
    );
  }
  if (!data) {
    return (
      <Doorway title={said.loading}>
        <Skeleton kind="text" />
      </Doorway>
    );
  }
  const { kind, email, workspace_name: workspace, first_name: first, last_name: last } = data.data.data;
  const isReset = kind === 'reset';
  return (
    <Doorway
      title={isReset ? said.resetTitle : said.title(workspace)}
      intro={isReset ? said.resetIntro(email) : said.intro(email)}
    >
      <Form
        onSubmit={async ({ first_name = first, last_name = last, password = '' }) => {
          const answer = await call('POST /welcome/{token}', {
            params: { token },
            body: { first_name, last_name, password },
          });
          client.clear();
          client.setQueryData(sessionQuery.queryKey, answer.data.data);
          await navigate({ to: '/', replace: true });
        }}
      >
        {({ isPending }) => (
          <>
            {/* Password managers store the account by it. */}
            <input
              type="email"
              name="username"
              autoComplete="username"
              defaultValue={email}
              readOnly
              hidden
            />
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
            <TextField
              name="password"
              type="password"
              label={said.password}
              hint={said.passwordHint}
              autoComplete="new-password"
              minLength={MIN_PASSWORD}
              isRequired
            />
            <Button type="submit" kind="primary" isPending={isPending}>
              {isReset ? said.reset : said.create}
            </Button>
          </>
        )}
      </Form>
    </Doorway>
  );
}

function Gone() {
  const said = useWords(words);
  return (
    <Doorway title={said.goneTitle} intro={said.gone}>
      <LinkButton to="/sign-in">{said.toSignIn}</LinkButton>
    </Doorway>
  );
}
