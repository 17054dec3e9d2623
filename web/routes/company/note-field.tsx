import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type KeyboardEvent } from 'react';
import { call } from '../../client/call.ts';
import { useDraft } from '../../client/drafts.ts';
import { Button } from '../../components/button.tsx';
import { focusIfLost } from '../../components/focus-back.ts';
import { TextField } from '../../components/text-field.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { useTellIfLeft } from '../../frame/toasts.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useProblemText } from '../../words/problems.ts';
import { shared } from '../../words/shared.ts';
import { words } from './words.ts';

const MAX_NOTE = 20_000;
const SEND_KEYS = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ Enter' : 'Ctrl Enter';

/** A field for a note. */
export function NoteField({ orgnr }: { orgnr: string }) {
  const said = useWords(words);
  const { timeline } = useWords(shared);
  const problemText = useProblemText();
  const tellIfLeft = useTellIfLeft();
  const client = useQueryClient();
  const draft = useDraft(`note ${orgnr}`, { text: '' });
  const [problem, setProblem] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  const [saved, setSaved] = useState('');
  const field = useRef<HTMLDivElement>(null);
  useCommands([
    {
      id: 'company.note',
      label: said.noteLabel,
      group: timeline,
      keys: 'n',
      run: () => field.current?.querySelector('textarea')?.focus(),
    },
  ]);
  const text = draft.values.text.trim();

  const change = (next: string) => {
    draft.set({ text: next });
    setSaved('');
    setProblem(undefined);
  };
  const send = async () => {
    if (text === '' || isPending) return;
    setIsPending(true);
    setProblem(undefined);
    try {
      await call('POST /companies/{orgNr}/notes', {
        params: { orgNr: orgnr },
        body: { text },
        idempotencyKey: draft.keyOf(text),
      });
      draft.drop();
      setSaved(said.noteSaved);
      // The button that was pressed goes away.
      focusIfLost(field.current?.querySelector('textarea'));
      void client.invalidateQueries({ queryKey: ['companies', 'GET /companies/{orgNr}/timeline'] });
    } catch (error) {
      const told = problemText(error);
      tellIfLeft(`${said.noteLabel}: ${told}`);
      setProblem(told);
    } finally {
      setIsPending(false);
    }
  };
  const sendByKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    void send();
  };

  return (
    <div ref={field} className="note-field" role="presentation" onKeyDown={sendByKey}>
      <TextField
        label={said.noteLabel}
        hideLabel
        placeholder={said.notePlaceholder}
        rows={2}
        maxLength={MAX_NOTE}
        value={draft.values.text}
        onChange={change}
        isReadOnly={isPending}
      />
      <p role={problem ? 'alert' : 'status'} className={problem ? 'field-error' : 'visually-hidden'}>
        {problem ?? saved}
      </p>
      {text !== '' && (
        <div className="note-actions">
          <Button kind="primary" size="small" isPending={isPending} onPress={() => void send()}>
            {said.noteSend}
          </Button>
          <span className="note-hint">{said.noteHint(SEND_KEYS)}</span>
        </div>
      )}
    </div>
  );
}
