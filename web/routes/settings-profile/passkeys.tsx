import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { call } from '../../client/call.ts';
import { hasPasskeys, loadPasskeys } from '../../client/has-passkeys.ts';
import { Explained } from '../../client/problem.ts';
import { queryOf } from '../../client/queries.ts';
import { ConfirmDialog } from '../../components/dialog.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { Form, SubmitButton } from '../../components/form.tsx';
import { IconButton } from '../../components/icon-button.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { words } from './words.ts';

const passkeysQuery = queryOf('GET /passkeys');

export function Passkeys() {
  const said = useWords(words);
  const format = useFormat();
  const text = useProblemText();
  const toast = useToast();
  const client = useQueryClient();
  const { data, error, refetch } = useQuery(passkeysQuery);
  const [failure, setFailure] = useState<string>();
  const [round, setRound] = useState(0);
  const [asked, setAsked] = useState<{ id: string; name: string }>();
  const heading = useRef<HTMLHeadingElement>(null);
  const refresh = () => client.invalidateQueries({ queryKey: passkeysQuery.queryKey });

  const remove = async ({ id, name }: { id: string; name: string }) => {
    setAsked(undefined);
    setFailure(undefined);
    try {
      await call('DELETE /passkeys/{id}', { params: { id } });
      toast({ text: said.passkeyRemoved(name) });
    } catch (refused) {
      setFailure(text(refused));
    }
    await refresh();
    // The button that was pressed disappears with its passkey.
    focusIfLost(heading.current);
  };

  const add = async (name: string) => {
    setFailure(undefined);
    const { addPasskey, passkeyFault } = await loadPasskeys();
    try {
      await addPasskey(name);
    } catch (failed) {
      const fault = passkeyFault(failed);
      if (fault === 'cancelled') return;
      throw fault ? new Explained(said.passkeyFaults[fault]) : failed;
    }
    setRound(round + 1);
    toast({ text: said.passkeyAdded });
    await refresh();
    focusIfLost(heading.current);
  };

  return (
    <section className="profile-part" aria-labelledby="profile-passkeys">
      <h2 id="profile-passkeys" ref={heading} tabIndex={-1}>
        {said.passkeys}
      </h2>
      <p className="muted">{said.passkeysIntro}</p>
      {error ? <ErrorState error={error} onRetry={() => void refetch()} /> : null}
      {data && data.data.data.length > 0 && (
        <ul className="profile-list">
          {data.data.data.map(({ id, name, created_at: created, last_used_at: used }) => (
            <li key={id}>
              <div>
                <p className="profile-what">{name}</p>
                <p className="profile-since">
                  {`${said.added} ${format.date(created)}, `}
                  {used === null ? said.neverUsed : `${said.lastUsed} ${format.relative(used)}`}
                </p>
              </div>
              <IconButton
                icon="close"
                label={said.removePasskey(name)}
                onPress={() => setAsked({ id, name })}
              />
            </li>
          ))}
        </ul>
      )}
      {hasPasskeys() ? (
        <Form
          key={round}
          ownWords={{ invalid_request: said.passkeyFaults.refused, limit_reached: said.passkeysFull }}
          onSubmit={({ name = '' }) => add(name)}
        >
          <TextField
            name="name"
            label={said.passkeyName}
            hint={said.passkeyHint}
            maxLength={255}
            isRequired
          />
          <SubmitButton>{said.addPasskey}</SubmitButton>
        </Form>
      ) : (
        <p>{said.noPasskeys}</p>
      )}
      <div role="alert" className="form-problem">
        {failure}
      </div>
      {asked && (
        <ConfirmDialog
          title={said.removePasskey(asked.name)}
          action={said.removePasskey(asked.name)}
          onConfirm={() => void remove(asked)}
          onClose={() => setAsked(undefined)}
        >
          {said.removePasskeyText}
        </ConfirmDialog>
      )}
    </section>
  );
}
