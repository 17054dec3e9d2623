import { useQuery, useQueryClient } from '@tanstack/react-query';
import { call } from '../../client/call.ts';
import { queryOf } from '../../client/queries.ts';
import { leaveForProvider } from '../../client/single-sign-on.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Form, SubmitButton } from '../../components/form.tsx';
import { useWords } from '../../words/dictionary.ts';
import { words } from './words.ts';

const identitiesQuery = queryOf('GET /identities');

/** The person's account at the identity provider, where the service has a provider. */
export function Linked() {
  const said = useWords(words);
  const client = useQueryClient();
  const methods = useQuery(queryOf('GET /sign-in/methods')).data?.data.data;
  const { data, error, refetch } = useQuery(identitiesQuery);
  const unlink = async () => {
    await call('DELETE /identities');
    await client.invalidateQueries({ queryKey: identitiesQuery.queryKey });
  };
  if (!methods?.sso || (!data && !error)) return null;
  const name = methods.sso_name ?? '';
  const isLinked = data?.data.data.some(({ is_current }) => is_current);
  return (
    <section className="profile-part" aria-labelledby="profile-linked">
      <h2 id="profile-linked">{said.linked}</h2>
      <p className="muted">{said.linkedIntro(name)}</p>
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {data && (
        <Form onSubmit={isLinked ? unlink : () => leaveForProvider('link', '/settings/profile')}>
          <SubmitButton>{isLinked ? said.unlink : said.link(name)}</SubmitButton>
        </Form>
      )}
    </section>
  );
}
