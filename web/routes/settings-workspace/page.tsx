import { useState } from 'react';
import { call } from '../../client/call.ts';
import { createUnlessThere } from '../../client/create-unless-there.ts';
import { newId } from '../../client/new-id.ts';
import { loadWorkspace, useRole, useSession } from '../../client/session.ts';
import { CopyLine } from '../../components/copy-line.tsx';
import { Form, SubmitButton } from '../../components/form.tsx';
import { TextField } from '../../components/text-field.tsx';
import { Page } from '../../frame/page.tsx';
import { SettingsTabs } from '../../frame/settings-tabs.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { words } from './words.ts';
import { WorkspaceForm } from './workspace-form.tsx';
import './workspace.css';

export function WorkspacePage() {
  const said = useWords(words);
  const { workspace: title, name } = useWords(shared);
  const { workspace } = useSession();
  const isOwner = useRole('owner');
  return (
    <Page title={title} width="text" toolbar={<SettingsTabs />}>
      <div className="workspace">
        <section className="workspace-part" aria-labelledby="workspace-about">
          <h2 id="workspace-about">{said.about}</h2>
          {isOwner ? (
            <WorkspaceForm key={workspace.id} />
          ) : (
            <>
              <p className="muted">{said.onlyOwners}</p>
              <dl className="workspace-facts">
                <dt>{name}</dt>
                <dd>{workspace.name}</dd>
                <dt>{said.language}</dt>
                <dd>{said.languages[workspace.language]}</dd>
                <dt>{said.timeZone}</dt>
                <dd>{workspace.time_zone}</dd>
              </dl>
            </>
          )}
        </section>
        <section className="workspace-part" aria-labelledby="workspace-ids">
          <h2 id="workspace-ids">{said.ids}</h2>
          <CopyLine label={said.workspaceId} text={workspace.id} />
        </section>
        {isOwner && <AnotherWorkspace />}
      </div>
    </Page>
  );
}

function AnotherWorkspace() {
  const said = useWords(words);
  const { name: nameLabel } = useWords(shared);
  const [id] = useState(newId);
  return (
    <section className="workspace-part" aria-labelledby="workspace-another">
      <h2 id="workspace-another">{said.another}</h2>
      <p className="muted">{said.anotherText}</p>
      <Form
        onSubmit={async ({ name = '' }) => {
          const isNew = await createUnlessThere(() => call('POST /workspaces', { body: { id, name } }));
          await call('POST /session/workspace', { body: { workspace_id: id } });
          // An earlier try created it, perhaps under another name.
          if (!isNew) await call('PATCH /workspace', { body: { name }, workspace: id });
          loadWorkspace(id);
        }}
      >
        <TextField name="name" label={nameLabel} maxLength={255} isRequired />
        <SubmitButton>{said.create}</SubmitButton>
      </Form>
    </section>
  );
}
