import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../client/call.ts';
import { CallProblem, mayBeDone } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { Checkbox } from '../../components/checkbox.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { Form, SubmitButton } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { words } from './words.ts';

const MIN_PASSWORD = 10;

export function Password() {
  const said = useWords(words);
  const { user } = useSession();
  const client = useQueryClient();
  const toast = useToast();
  const [isWrong, setIsWrong] = useState(false);
  /** Whether the last try may have changed the password although its answer was lost. */
  const [isUnsure, setIsUnsure] = useState(false);
  // The key of the form: after each success, a new form has nothing of what was typed.
  const [round, setRound] = useState(0);
  const ways = [useQuery(queryOf('GET /passkeys')), useQuery(queryOf('GET /identities'))];
  const mayHaveOtherWays = ways.some(({ data, error }) => (data ? data.data.data.length > 0 : error));
  const heading = useRef<HTMLHeadingElement>(null);
  const readAgain = () => {
    for (const key of ['sessions', 'passkeys', 'identities'])
      void client.invalidateQueries({ queryKey: [key] });
  };
  return (
    <section className="profile-part" aria-labelledby="profile-password">
      <h2 id="profile-password" ref={heading} tabIndex={-1}>
        {said.password}
      </h2>
      <Form
        key={round}
        ownWords={{ rate_limited: said.tooMany }}
        onSubmit={async ({ current_password = '', new_password = '', ...rest }) => {
          setIsWrong(false);
          try {
            const remove_other_ways = 'remove_other_ways' in rest;
            await call('POST /profile/password', {
              body: { current_password, new_password, remove_other_ways },
            });
          } catch (error) {
            const refused = error instanceof CallProblem && error.details[0]?.field === 'current_password';
            setIsWrong(refused);
            if (refused) return;
            setIsUnsure((was) => was || mayBeDone(error));
            if (mayBeDone(error)) readAgain();
            throw error;
          }
          setIsUnsure(false);
          setRound(round + 1);
          toast({ text: said.changed });
          readAgain();
          focusIfLost(heading.current);
        }}
      >
        <input
          type="email"
          name="username"
          autoComplete="username"
          defaultValue={user.email}
          readOnly
          hidden
        />
        <TextField
          name="current_password"
          type="password"
          label={said.current}
          autoComplete="current-password"
          error={isWrong ? (isUnsure ? said.wrongOrChanged : said.wrong) : undefined}
          onChange={() => setIsWrong(false)}
        />
        <TextField
          name="new_password"
          type="password"
          label={said.fresh}
          hint={said.passwordHint}
          autoComplete="new-password"
          minLength={MIN_PASSWORD}
          isRequired
        />
        {mayHaveOtherWays && (
          <div>
            <Checkbox name="remove_other_ways" label={said.removeOtherWays} hint={said.removeHint} />
          </div>
        )}
        <SubmitButton>{said.change}</SubmitButton>
      </Form>
    </section>
  );
}
