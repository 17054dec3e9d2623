import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState, type KeyboardEvent } from 'react';
import { call } from '../../client/call.ts';
import { newId } from '../../client/new-id.ts';
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

/** What was typed and not saved, by company: it outlives a look at another page. */
const drafts = new Map<string, { text: string; key: string }>();

/** A field for a note. Saving again what may have been saved adds nothing: the same text has the same key. */
export function NoteField({ orgnr }: { orgnr: string }) {
  const said = useWords(words);
  const { timeline } = useWords(shared);
  const problemText = useProblemText();
  const tellIfLeft = useTellIfLeft();
  const client = useQueryClient();
  const [draft, setDraft] = useState(() => drafts.get(orgnr) ?? { text: '', key: newId() });
  const [problem, setProblem] = useState<string>();
  const [isPending, setIsPending] = useState(false);
  const [saved, setSaved] = useState('');
  const sent = useRef({ text: '', key: '' });
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
  const text = draft.text.trim();

  const change = (next: string) => {
    const changed = { text: next, key: sent.current.text === next.trim() ? sent.current.key : newId() };
    drafts.set(orgnr, changed);
    setDraft(changed);
    setSaved('');
  };
  const send = async () => {
    if (text === '' || isPending) return;
    setIsPending(true);
    setProblem(undefined);
    sent.current = { text, key: draft.key };
    try {
      await call('POST /companies/{orgNr}/notes', {
        params: { orgNr: orgnr },
        body: { text },
        idempotencyKey: draft.key,
      });
      drafts.delete(orgnr);
      setDraft({ text: '', key: newId() });
      setSaved(said.noteSaved);
      // The button that was pressed goes away.
      focusIfLost(field.current?.querySelector('textarea'));
      await client.invalidateQueries({ queryKey: ['companies', 'GET /companies/{orgNr}/timeline'] });
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
        value={draft.text}
        onChange={change}
        error={problem}
        isReadOnly={isPending}
      />
      {text !== '' && (
        <div className="note-actions">
          <Button kind="primary" size="small" isPending={isPending} onPress={() => void send()}>
            {said.noteSend}
          </Button>
          <span className="note-hint">{said.noteHint(SEND_KEYS)}</span>
        </div>
      )}
      <p role="status" className="visually-hidden">
        {saved}
      </p>
    </div>
  );
}
