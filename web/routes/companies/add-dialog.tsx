import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { Autocomplete, Menu, MenuItem, SearchField, Input } from 'react-aria-components';
import { useAnswers } from '../../client/answers.ts';
import { call } from '../../client/call.ts';
import { useDraft } from '../../client/drafts.ts';
import { findUnits, type Unit } from '../../client/register.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { EarlierAnswers } from '../../components/earlier-answers.tsx';
import { Icon } from '../../components/icon.tsx';
import { SandboxNote } from '../../components/sandbox-note.tsx';
import { Badge } from '../../components/status.tsx';
import { useIsLeft, useTellIfLeft, useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { UnitCard } from './unit-card.tsx';
import { words } from './words.ts';
import '../../components/field.css';
import '../../components/menu.css';

const MIN_LENGTH = 2;

/** Adds a company by number or name: finds units in the register, shows the chosen one, and adds it. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const said = useWords(words);
  const draft = useDraft('company', { text: '' });
  const close = () => {
    draft.drop();
    onClose();
  };
  const [unit, setUnit] = useState<Unit>();
  return (
    <Dialog title={said.add} onClose={close}>
      <div className="add-box">
        {unit ? (
          <Chosen unit={unit} onBack={() => setUnit(undefined)} onClose={close} />
        ) : (
          <Search
            text={draft.values.text}
            onText={(text) => draft.set({ text })}
            onChoose={setUnit}
            onEscape={close}
          />
        )}
      </div>
    </Dialog>
  );
}

function Search({
  text,
  onText,
  onChoose,
  onEscape,
}: {
  text: string;
  onText: (text: string) => void;
  onChoose: (unit: Unit) => void;
  onEscape: () => void;
}) {
  const said = useWords(words);
  const problemText = useProblemText();
  const { loading } = useWords(shared);
  const { found, earlier, error } = useAnswers(['register'], text, findUnits, { minLength: MIN_LENGTH });
  const units = found ?? [];
  const isShort = text.trim().length < MIN_LENGTH;
  const hint = isShort ? said.addIntro : found ? said.addEmpty : loading;
  return (
    <Autocomplete inputValue={text} onInputChange={onText}>
      <SearchField
        aria-label={said.addHint}
        className="field"
        autoFocus
        onKeyDown={(event) => {
          // By default, Escape would only empty the field.
          if (event.key === 'Escape') onEscape();
          else event.continuePropagation();
        }}
      >
        <div className="field-group">
          <Icon name="search" />
          <Input placeholder={said.addHint} maxLength={100} />
        </div>
      </SearchField>
      {error ? (
        <p role="alert" className="field-error">
          {problemText(error)}
        </p>
      ) : (
        <Menu<Unit>
          className="menu add-results"
          aria-label={said.add}
          // React Aria tells rows without an id apart by index, which fails with the rows of the next answer.
          items={units.map((unit) => ({ ...unit, id: unit.orgnr }))}
          onAction={(key) => {
            const unit = units.find(({ orgnr }) => orgnr === key);
            if (unit) onChoose(unit);
          }}
          renderEmptyState={() =>
            !found && !isShort && earlier.length > 0 ? (
              <EarlierAnswers>
                {earlier.map((unit) => (
                  <div key={unit.orgnr} className="menu-item add-unit">
                    <UnitLine unit={unit} />
                  </div>
                ))}
              </EarlierAnswers>
            ) : (
              <>
                <p className="menu-title">{hint}</p>
                <SandboxNote className="menu-title" />
              </>
            )
          }
        >
          {(unit) => <UnitItem unit={unit} />}
        </Menu>
      )}
    </Autocomplete>
  );
}

function UnitItem({ unit }: { unit: Unit }) {
  return (
    <MenuItem id={unit.orgnr} className="menu-item add-unit" textValue={unit.name}>
      <UnitLine unit={unit} />
    </MenuItem>
  );
}

function UnitLine({ unit: { orgnr, name, org_form, is_branch, in_workspace } }: { unit: Unit }) {
  const said = useWords(words);
  const format = useFormat();
  return (
    <>
      <span className="add-unit-main">
        <span>{name}</span>
        <span className="muted">
          {[format.orgnr(orgnr), is_branch ? said.branch : org_form].filter(Boolean).join(' · ')}
        </span>
      </span>
      {in_workspace !== 'none' && (
        <Badge tone={in_workspace === 'deleted' ? 'danger' : 'accent'}>
          {in_workspace === 'deleted' ? said.isDeleted : said.inWorkspace}
        </Badge>
      )}
    </>
  );
}

function Chosen({ unit, onBack, onClose }: { unit: Unit; onBack: () => void; onClose: () => void }) {
  const said = useWords(words);
  const navigate = useNavigate();
  const client = useQueryClient();
  const toast = useToast();
  const isLeft = useIsLeft();
  const tellIfLeft = useTellIfLeft();
  const problemText = useProblemText();
  const [problem, setProblem] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  const { orgnr, name, in_workspace, dissolved_on } = unit;
  const open = async () => {
    onClose();
    await navigate({ to: '/companies/$orgnr', params: { orgnr } });
  };
  const add = async () => {
    setIsPending(true);
    setProblem(undefined);
    try {
      const { data } = await call('POST /companies', { body: { orgnr } });
      void client.invalidateQueries({ queryKey: ['companies'] });
      void client.invalidateQueries({ queryKey: ['register'] });
      if (data.created) toast({ text: said.added(data.data.name) });
      if (!isLeft.current) await open();
    } catch (error) {
      tellIfLeft(problemText(error));
      setProblem(problemText(error));
      setIsPending(false);
    }
  };
  return (
    <>
      <UnitCard unit={unit} />
      <p role="alert" className="field-error">
        {problem}
      </p>
      <div className="form-buttons">
        <Button onPress={onBack}>{said.another}</Button>
        {in_workspace !== 'none' ? (
          <Button kind="primary" onPress={() => void open()} autoFocus>
            {said.openName(name)}
          </Button>
        ) : (
          dissolved_on === null && (
            <Button kind="primary" isPending={isPending} onPress={() => void add()} autoFocus>
              {said.addName(name)}
            </Button>
          )
        )}
      </div>
    </>
  );
}
