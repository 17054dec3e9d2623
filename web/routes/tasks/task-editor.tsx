import { useEffectEvent, useImperativeHandle, useLayoutEffect, useRef, useState } from 'react';
import { useQueryClient } from '@tanstack/react-query';
import { call, type CallResult } from '../../client/call.ts';
import { Explained, isConflict } from '../../client/problem.ts';
import { useSeenState } from '../../client/seen-state.ts';
import { Button } from '../../components/button.tsx';
import { COMPANY_SEARCH, namedCompany } from '../../components/company-search.ts';
import { EditComboBox, EditSelect } from '../../components/edit-choice.tsx';
import { EditInPlace, type Editing } from '../../components/edit-in-place.tsx';
import { EditText } from '../../components/edit-text.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useLanguage } from '../../words/language.ts';
import { DueField, writeDue } from './due-field.tsx';
import { instantOf } from './due-instant.ts';
import { dueOf } from './due.ts';
import { readDue, type Due } from './due-text.ts';
import { patchTask, type TaskChange } from './patch-task.ts';
import { nameOf } from './person.tsx';
import { readShownState, showTask, useAssignees, useTaskActions, type TaskRow } from './use-tasks.ts';
import { tasksWords } from './words.ts';

const AT = { title: 1, due: 2, person: 4 };

/** A task that is opened, and the field whose edit begins at once. */
export type OpenTask = { id: string; edits?: keyof typeof AT };

/** A task opened in its place in the list: every field is changed where it stands. */
export function TaskEditor({
  task,
  open,
  onBegun,
  onClose,
}: {
  task: TaskRow;
  open: OpenTask;
  /** Called when the edit of `open.edits` has begun: it does not begin again when the task comes back to the list. */
  onBegun: () => void;
  onClose: () => void;
}) {
  const fields = useRef<HTMLDivElement>(null);
  const begun = useEffectEvent(() => onBegun());
  useLayoutEffect(() => {
    if (!open.edits) return;
    const place = `.edit:nth-child(${AT[open.edits]}) .edit-button`;
    fields.current?.querySelector<HTMLElement>(place)?.click();
    begun();
  }, [open]);
  const words = useWords(tasksWords);
  const format = useFormat();
  const { timeZone } = useLanguage();
  const members = useAssignees();
  const { remove } = useTaskActions();
  /** Whether the task was deleted here: what is being typed into it is then not saved. */
  const isDeleted = useRef(false);
  const { saveChange, begin } = useSave(task);
  const save: typeof saveChange = async (body, shown) => {
    if (!isDeleted.current) await saveChange(body, shown);
  };
  const people = members.map(({ id, name }) => ({ id, label: name }));
  if (!people.some(({ id }) => id === task.user_id)) people.push({ id: task.user_id, label: nameOf(task) });
  return (
    <div role="gridcell">
      <div
        ref={fields}
        role="presentation"
        className="task-editor"
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || event.defaultPrevented) return;
          event.stopPropagation();
          onClose();
        }}
      >
        <EditText
          label={words.title}
          value={task.title}
          isRequired
          onBegin={() => begin('title')}
          onSave={async (title) => title !== null && save({ title })}
        />
        <EditInPlace<Due | undefined>
          label={words.due}
          shown={writeDue(dueOf(task, format), format)}
          onBegin={() => begin('due_date')}
          onSave={async (due) => {
            if (due) await save(instantOf(due, timeZone));
            else if (!isDeleted.current) throw new Explained(words.dueHint);
          }}
          edit={(editing) => <EditDue editing={editing} value={dueOf(task, format)} />}
        />
        <EditComboBox
          label={words.company}
          value={task.company && { id: task.company.id, label: task.company.name }}
          {...COMPANY_SEARCH}
          onBegin={() => begin('related_company_id')}
          onSave={(found) =>
            save({ related_company_id: found?.id ?? null }, { company: found && namedCompany(found) })
          }
        />
        <EditSelect
          label={words.person}
          options={people}
          value={task.user_id}
          onBegin={() => begin('user_id')}
          onSave={(user_id) => save({ user_id })}
        />
        <EditText
          label={words.description}
          value={task.description}
          rows={3}
          maxLength={20_000}
          onBegin={() => begin('description')}
          onSave={(description) => save({ description })}
        />
        <div className="task-editor-actions">
          <Button size="small" onPress={onClose} leavesFocus>
            {words.collapse}
          </Button>
          <Button
            size="small"
            kind="quiet"
            icon="trash"
            onPress={() => {
              isDeleted.current = true;
              remove(task);
            }}
            leavesFocus
          >
            {words.deleteTask}
          </Button>
        </div>
      </div>
    </div>
  );
}

function EditDue({
  editing: { save, restore, finisher },
  value,
}: {
  editing: Editing<Due | undefined>;
  value: Due;
}) {
  const format = useFormat();
  const [began] = useState(() => writeDue(value, format));
  const [text, setText] = useState(began);
  const [hasError, setHasError] = useState(false);
  const finish = (now: string, ending: 'by-key' | 'by-leaving') => {
    const due = readDue(now, format.today());
    if (now === began) restore();
    else if (due) save(due, ending);
    else setHasError(true);
  };
  useImperativeHandle(finisher, () => () => finish(text, 'by-key'));
  const leave = useEffectEvent(() => {
    if (text !== began) save(readDue(text, format.today()), 'by-leaving');
  });
  // The field may be removed with what is around it, which fires no blur event.
  useLayoutEffect(() => () => leave(), []);
  return (
    <div
      role="presentation"
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || isInPopover(event.target)) return;
        event.stopPropagation();
        restore();
      }}
      onBlur={({ currentTarget, relatedTarget, target }) => {
        if (currentTarget.contains(relatedTarget) || isInPopover(relatedTarget) || isInPopover(target))
          return;
        finish(text, 'by-leaving');
      }}
    >
      <DueField
        text={text}
        hasError={hasError}
        autoFocus
        onChange={(next) => {
          setText(next);
          setHasError(false);
        }}
        onEnter={(now) => finish(now, 'by-key')}
      />
    </div>
  );
}

/** Whether the target is in the calendar of the field, which is elsewhere in the document. */
function isInPopover(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.popover') !== null;
}

/** Saves against the state that was shown when the edit began: what somebody else changes later is not overwritten. */
function useSave(task: TaskRow) {
  const client = useQueryClient();
  const { begin, of, refuse } = useSeenState<TaskChange, string, CallResult<'GET /tasks/{id}'>>(
    task.etag,
    () => readShownState(client, task.id),
    () => call('GET /tasks/{id}', { params: { id: task.id } }),
  );
  return {
    begin,
    /** @param shown what else changes in the row, such as the company's name */
    saveChange: async (body: TaskChange, shown?: Partial<TaskRow>) => {
      try {
        await patchTask({ id: task.id, etag: of(body) }, body, { isChecked: true }).catch(async (error) => {
          // After any other failure the edit goes on from what was shown.
          if (!isConflict(error) || !(await refuse(body))) throw error;
        });
        showTask(client, task.id, { ...body, ...shown });
      } finally {
        void client.invalidateQueries({ queryKey: ['tasks'] });
      }
    },
  };
}
