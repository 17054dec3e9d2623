import { useRef, useState, type Ref } from 'react';
import { Button } from '../../components/button.tsx';
import { ComboBox } from '../../components/combo-box.tsx';
import { Icon } from '../../components/icon.tsx';
import { useSession } from '../../client/session.ts';
import { useWords } from '../../words/dictionary.ts';
import { useLanguage } from '../../words/language.tsx';
import { searchCompanies } from './companies.ts';
import { DueField } from './due-field.tsx';
import { DueFromTitle } from './due-from-title.tsx';
import { instantOf } from './due-instant.ts';
import { useTaskActions } from './use-tasks.ts';
import { useTitleAndDue } from './use-title-due.ts';
import { tasksWords } from './words.ts';

/** A new task in one line: Enter adds it, and the field is ready for the next. */
export function QuickAdd({
  field,
  usualDue,
  onLeave,
}: {
  field: Ref<HTMLInputElement>;
  /** In words. */
  usualDue: string;
  onLeave: () => void;
}) {
  const words = useWords(tasksWords);
  const { timeZone } = useLanguage();
  const { user } = useSession();
  const { add } = useTaskActions();
  const task = useTitleAndDue(usualDue);
  const [companyId, setCompanyId] = useState<string | null>(null);
  const [round, setRound] = useState(0);
  const [fault, setFault] = useState<'title' | 'due'>();
  /** The same until it has been answered: trying again adds nothing twice. */
  const attempt = useRef<{ of: string; key: string }>(undefined);

  const submit = () => {
    const { title, due } = task.result;
    const typed = task.title;
    if (title === '') return setFault('title');
    if (!due) return setFault('due');
    if (add.isPending) return undefined;
    setFault(undefined);
    const body = {
      title,
      user_id: user.id,
      related_company_id: companyId,
      ...instantOf(due, timeZone),
    };
    const of = JSON.stringify(body);
    if (attempt.current?.of !== of) attempt.current = { of, key: `${Date.now()}-${Math.random()}` };
    // A failure has told itself; what was typed stays.
    add.mutate(
      { body, idempotencyKey: attempt.current.key },
      {
        onSuccess() {
          attempt.current = undefined;
          task.clear(typed);
          setCompanyId(null);
          setRound((before) => before + 1);
        },
      },
    );
    return undefined;
  };

  return (
    <form
      className="quick-add"
      data-open={task.title !== '' || undefined}
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <div className="quick-add-title">
        <Icon name="plus" />
        <input
          ref={field}
          aria-label={words.newTask}
          aria-invalid={fault === 'title' || undefined}
          placeholder={words.newTask}
          value={task.title}
          maxLength={255}
          autoComplete="off"
          aria-keyshortcuts="n"
          onChange={({ target }) => {
            task.changeTitle(target.value);
            setFault(undefined);
          }}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            if (task.dueInTitle !== undefined) task.keepInTitle();
            else onLeave();
          }}
        />
      </div>
      <ComboBox
        key={round}
        label={words.company}
        hideLabel
        placeholder={words.companyHint}
        searchKey={['companies', 'choose']}
        search={searchCompanies}
        onChoose={(found) => setCompanyId(found?.id ?? null)}
      />
      <DueField
        text={task.due}
        hasError={fault === 'due'}
        onChange={(next) => {
          task.changeDue(next);
          setFault(undefined);
        }}
      />
      <Button type="submit" kind="primary">
        {words.add}
      </Button>
      <DueFromTitle task={task} />
      <p role="alert" className="quick-add-problem">
        {fault === 'title' && words.titleMissing}
      </p>
    </form>
  );
}
