import { useState, type RefObject } from 'react';
import { Button } from '../../components/button.tsx';
import { ComboBox, type Found } from '../../components/combo-box.tsx';
import { COMPANY_SEARCH } from '../../components/company-search.ts';
import { Icon } from '../../components/icon.tsx';
import { useDraft } from '../../client/drafts.ts';
import { useSession } from '../../client/session.ts';
import { useWords } from '../../words/dictionary.ts';
import { useLanguage } from '../../words/language.ts';
import { DueField } from './due-field.tsx';
import { DueFromTitle } from './due-from-title.tsx';
import { instantOf } from './due-instant.ts';
import { useTaskActions } from './use-tasks.ts';
import { changedSince, NO_TITLE, useTitleAndDue } from './use-title-due.ts';
import { tasksWords } from './words.ts';

/** A new task in one line: Enter adds it, and the field is ready for the next. */
export function QuickAdd({
  field,
  usualDue,
  onLeave,
}: {
  field: RefObject<HTMLInputElement | null>;
  /** When a task is due unless something else is typed, in words. */
  usualDue: string;
  onLeave: () => void;
}) {
  const words = useWords(tasksWords);
  const { timeZone } = useLanguage();
  const { user } = useSession();
  const { add } = useTaskActions();
  const draft = useDraft('task', { ...NO_TITLE, company: null as Found | null });
  const task = useTitleAndDue(draft, usualDue);
  /** While the focus is in the calendar, or is about to move to a new field for the company. */
  const [isKeptOpen, setIsKeptOpen] = useState(false);
  const [fault, setFault] = useState<'title' | 'due'>();

  /** Moves the focus to the title of the next task, unless another company is being typed for it. */
  const leaveCompany = ({ label }: Found) => {
    const { activeElement: place } = document;
    if (!(place instanceof HTMLInputElement) || !place.matches('.quick-add [role=combobox]')) return;
    if (place.value === label) field.current?.focus();
    else setIsKeptOpen(true);
  };
  const submit = () => {
    const { title, due } = task.result;
    const sent = draft.values;
    if (title === '') return setFault('title');
    if (!due) return setFault('due');
    if (add.isPending) return undefined;
    setFault(undefined);
    const body = {
      title,
      user_id: user.id,
      related_company_id: draft.values.company?.id ?? null,
      ...instantOf(due, timeZone),
    };
    const clear = () =>
      draft.drop((now) => {
        const next = changedSince(sent, now, title);
        if (sent.company && !('company' in next)) leaveCompany(sent.company);
        return next;
      });
    // Clears the draft also if the page is left before the answer; not after a failure, which a message reported.
    add.mutateAsync({ body, tries: draft }).then(clear, () => {});
    return undefined;
  };

  const { title, due, company } = draft.values;
  const isBegun = title !== '' || due !== null || company !== null;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- what is in it takes the focus
    <form
      className="quick-add"
      data-open={isBegun || isKeptOpen || undefined}
      // The calendar lies over the page, and gives the focus back to its button.
      onFocus={({ currentTarget, target }) => setIsKeptOpen(!currentTarget.contains(target))}
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
        label={words.company}
        hideLabel
        placeholder={words.companyHint}
        {...COMPANY_SEARCH}
        initial={draft.values.company}
        follows
        onChoose={(company) => draft.set({ company })}
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
