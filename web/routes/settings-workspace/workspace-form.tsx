import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { fetchAnew } from '../../client/queries.ts';
import { sessionQuery, useSession } from '../../client/session.ts';
import { ComboBox } from '../../components/combo-box.tsx';
import { Form, SubmitButton } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useLanguage, type Language } from '../../words/language.ts';
import { shared } from '../../words/shared.ts';
import { words } from './words.ts';

const LANGUAGES = ['nb', 'en'] as const;

/** Zones shown at once. */
const MAX_ZONES = 50;

export function WorkspaceForm() {
  const said = useWords(words);
  const { name: nameLabel, save } = useWords(shared);
  const { workspace } = useSession();
  const { speak } = useLanguage();
  const client = useQueryClient();
  const toast = useToast();
  // What the fields began with. Only fields that differ from it are sent, so that what somebody else changes meanwhile
  // is not set back.
  const [begun, setBegun] = useState(workspace);
  const [name, setName] = useState(workspace.name);
  const [language, setLanguage] = useState<Language>(workspace.language);
  const [timeZone, setTimeZone] = useState<string | null>(workspace.time_zone);
  return (
    <Form
      keepsTyped
      onSubmit={async () => {
        if (timeZone === null) return;
        const { data } = await call('PATCH /workspace', {
          body: {
            ...(name !== begun.name && { name }),
            ...(language !== begun.language && { language }),
            ...(timeZone !== begun.time_zone && { time_zone: timeZone }),
          },
        });
        setBegun(data.data);
        setName((typed) => (typed === name ? data.data.name : typed));
        setLanguage((chosen) => (chosen === language ? data.data.language : chosen));
        setTimeZone((chosen) => (chosen === timeZone ? data.data.time_zone : chosen));
        speak({ timeZone: data.data.time_zone });
        client.setQueryData(sessionQuery.queryKey, (old) => old && { ...old, workspace: data.data });
        // Many answers depend on the time zone.
        fetchAnew(client, () => true);
        toast({ text: said.saved });
      }}
    >
      <TextField
        name="name"
        label={nameLabel}
        value={name}
        onChange={setName}
        maxLength={255}
        autoComplete="organization"
        isRequired
      />
      <div className="workspace-field">
        <Select
          label={said.language}
          options={LANGUAGES.map((id) => ({ id, label: said.languages[id] }))}
          value={language}
          onChange={setLanguage}
        />
        <p className="field-hint">{said.languageHint}</p>
      </div>
      <div className="workspace-field">
        <ComboBox
          label={said.timeZone}
          initial={timeZone === null ? null : { id: timeZone, label: timeZone }}
          follows
          searchKey={['time zones']}
          search={findZones}
          onChoose={(found) => setTimeZone(found?.id ?? null)}
          error={timeZone === null ? said.unknownZone : undefined}
        />
        <p className="field-hint">{said.timeZoneHint}</p>
      </div>
      <SubmitButton kind="primary">{save}</SubmitButton>
    </Form>
  );
}

/** The zones whose names contain what was typed, with their current offset from UTC. */
async function findZones(text: string) {
  const wanted = text.toLowerCase().replaceAll(' ', '_');
  const all = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
  return all
    .filter((zone) => zone.toLowerCase().includes(wanted))
    .slice(0, MAX_ZONES)
    .map((zone) => ({ id: zone, label: zone, detail: offsetOf(zone) }));
}

function offsetOf(timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'shortOffset' }).formatToParts();
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? '';
}
