import { useRef } from 'react';
import { DropZone, Label, Radio, RadioGroup, Text, type FileDropItem } from 'react-aria-components';
import { Band } from '../../components/band.tsx';
import { Button } from '../../components/button.tsx';
import { useWords } from '../../words/dictionary.ts';
import type { Importing, Resource } from './use-import.ts';
import { words } from './words.ts';

const RESOURCES = ['company', 'contact', 'offer'] as const;

/** What is imported, and from which file. */
export function ChooseFile({ importing }: { importing: Importing }) {
  const said = useWords(words);
  const { resource, going } = importing;
  const input = useRef<HTMLInputElement>(null);
  const names = { company: said.companies, contact: said.contacts, offer: said.offers };
  const hints = { company: said.companiesHint, contact: said.contactsHint, offer: said.offersHint };
  const open = (file: File | null | undefined) => {
    if (file) void importing.open(file);
  };
  return (
    <div className="import-part">
      {going ? (
        <Band actions={<Button onPress={() => importing.reset()}>{said.again}</Button>}>
          {said.resume(going.file_name)}
        </Band>
      ) : (
        <RadioGroup
          className="import-kinds"
          value={resource}
          onChange={(value) => importing.setResource(value as Resource)}
        >
          <Label className="field-label">{said.what}</Label>
          {RESOURCES.map((one) => (
            <Radio key={one} value={one} className="import-kind">
              <span className="import-kind-name">{names[one]}</span>
              <Text slot="description" className="muted">
                {hints[one]}
              </Text>
            </Radio>
          ))}
        </RadioGroup>
      )}
      <DropZone
        className="import-drop"
        getDropOperation={() => 'copy'}
        onDrop={({ items }) => {
          const item = items.find((one): one is FileDropItem => one.kind === 'file');
          void item?.getFile().then(open);
        }}
      >
        <Text slot="label" className="import-drop-label">
          {said.dropHere}
        </Text>
        <Button
          kind="primary"
          icon="import"
          isPending={importing.opening !== undefined}
          onPress={() => input.current?.click()}
        >
          {said.chooseFile}
        </Button>
        <input
          ref={input}
          type="file"
          hidden
          accept=".csv,.txt,.tsv,text/csv"
          onChange={({ target }) => {
            open(target.files?.[0]);
            // So that choosing the same file again fires a change event, too.
            target.value = '';
          }}
        />
        <p className="muted">
          {said.limits} <a href="/docs/import">{said.guide}</a>
        </p>
      </DropZone>
    </div>
  );
}
