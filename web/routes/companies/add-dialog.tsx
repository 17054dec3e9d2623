import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { Autocomplete, Menu, MenuItem, SearchField, Input } from 'react-aria-components';
import { call } from '../../client/call.ts';
import { isProblem } from '../../client/problem.ts';
import { Button } from '../../components/button.tsx';
import { Dialog } from '../../components/dialog.tsx';
import { Icon } from '../../components/icon.tsx';
import { Badge } from '../../components/status.tsx';
import { useToast } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { UnitCard, type Unit } from './unit-card.tsx';
import { words } from './words.ts';
import '../../components/field.css';
import '../../components/menu.css';

const MIN_LENGTH = 2;

/** Adds a company by number or name: the register's units, what it says of the chosen one, and adding it. */
export function AddDialog({ onClose }: { onClose: () => void }) {
  const said = useWords(words);
  const [text, setText] = useState('');
  const [unit, setUnit] = useState<Unit>();
  return (
    <Dialog title={said.add} onClose={onClose}>
      <div className="add-box">
        {unit ? (
          <Chosen unit={unit} onBack={() => setUnit(undefined)} onClose={onClose} />
        ) : (
          <Search text={text} onText={setText} onChoose={setUnit} />
        )}
      </div>
    </Dialog>
  );
}

function Search({
  text,
  onText,
  onChoose,
}: {
  text: string;
  onText: (text: string) => void;
  onChoose: (unit: Unit) => void;
}) {
  const said = useWords(words);
  const problemText = useProblemText();
  const { loading } = useWords(shared);
  const asked = useDeferredValue(text.trim());
  const { data: units = [], error, isFetching } = useUnits(asked);
  const hint = asked.length < MIN_LENGTH ? said.addIntro : isFetching ? loading : said.addEmpty;
  return (
    <Autocomplete inputValue={text} onInputChange={onText}>
      <SearchField aria-label={said.addHint} className="field" autoFocus>
        <div className="field-group">
          <Icon name="search" />
          <Input placeholder={said.addHint} maxLength={100} />
        </div>
      </SearchField>
      {error ? (
        <p role="alert" className="field-error">
          {problemText(error, { register_unavailable: said.registerDown })}
        </p>
      ) : (
        <Menu<Unit>
          className="menu add-results"
          aria-label={said.add}
          // Without an id, rows are told apart by their place, and the next answer's fail.
          items={units.map((unit) => ({ ...unit, id: unit.orgnr }))}
          onAction={(key) => {
            const unit = units.find(({ orgnr }) => orgnr === key);
            if (unit) onChoose(unit);
          }}
          renderEmptyState={() => <p className="menu-title">{hint}</p>}
        >
          {(unit) => <UnitItem unit={unit} />}
        </Menu>
      )}
    </Autocomplete>
  );
}

function UnitItem({ unit }: { unit: Unit }) {
  const said = useWords(words);
  const format = useFormat();
  const { orgnr, name, org_form, is_branch, in_workspace } = unit;
  return (
    <MenuItem id={orgnr} className="menu-item add-unit" textValue={name}>
      <span className="add-unit-main">
        <span>{name}</span>
        <span className="muted">{`${format.orgnr(orgnr)} · ${is_branch ? said.branch : (org_form ?? '')}`}</span>
      </span>
      {in_workspace !== 'none' && (
        <Badge tone={in_workspace === 'deleted' ? 'danger' : 'accent'}>
          {in_workspace === 'deleted' ? said.isDeleted : said.inWorkspace}
        </Badge>
      )}
    </MenuItem>
  );
}

/** Units whose names or numbers fit; of a whole number the one that has it, dissolved or not. */
function useUnits(asked: string) {
  const number = asked.replaceAll(/[\s.]/g, '');
  return useQuery({
    queryKey: ['register', number.length === 9 && /^\d+$/.test(number) ? number : asked],
    enabled: asked.length >= MIN_LENGTH,
    retry: false,
    async queryFn({ signal }): Promise<readonly Unit[]> {
      if (!/^\d{9}$/.test(number))
        return (await call('GET /register', { query: { q: asked }, signal })).data.data;
      try {
        return [(await call('GET /register/{orgNr}', { params: { orgNr: number }, signal })).data.data];
      } catch (error) {
        if (isProblem(error, 'not_in_register')) return [];
        throw error;
      }
    },
  });
}

function Chosen({ unit, onBack, onClose }: { unit: Unit; onBack: () => void; onClose: () => void }) {
  const said = useWords(words);
  const navigate = useNavigate();
  const client = useQueryClient();
  const toast = useToast();
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
      await open();
    } catch (error) {
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
