import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { call } from '../../client/call.ts';
import { useFilters } from '../../client/filters.ts';
import { useMembers } from '../../client/members.ts';
import { useSession } from '../../client/session.ts';
import { Button } from '../../components/button.tsx';
import { FormButtons } from '../../components/form-buttons.tsx';
import { Form } from '../../components/form.tsx';
import { Select } from '../../components/select.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useLanguage } from '../../words/language.ts';
import { shared } from '../../words/shared.ts';
import { DueField } from '../tasks/due-field.tsx';
import { DueFromTitle } from '../tasks/due-from-title.tsx';
import { instantOf } from '../tasks/due-instant.ts';
import { storeTask } from '../tasks/store-task.ts';
import { TaskLines } from '../tasks/task-lines.tsx';
import { taskRows } from '../tasks/use-tasks.ts';
import { NO_TITLE, useTitleAndDue } from '../tasks/use-title-due.ts';
import { TabList } from './tab-list.tsx';
import { useAdding, useAddingDraft } from './use-adding.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

/** The open tasks of the company, the next due first; completed ones on request. Each is edited in its place. */
export function TasksTab({ company }: { company: Company }) {
  const said = useWords(words);
  const names = useWords(shared);
  const { values, set } = useFilters<'done'>();
  const showsDone = values.done === 'true';
  const found = useInfiniteQuery({
    ...taskRows({
      company_id: company.id,
      completed: showsDone ? 'true' : 'false',
      sort: showsDone ? '-updated_at' : 'due_date',
    }),
    placeholderData: undefined,
  });
  const adding = useAdding({
    label: said.addTask,
    group: names.tasks,
    keys: 'n',
    isAllowed: !company.is_deleted,
  });
  return (
    <section className="company-tab" aria-label={names.tasks}>
      {adding.isOpen ? (
        <TaskForm company={company} adding={adding} />
      ) : (
        <div className="company-actions">
          {!company.is_deleted && (
            <Button id={adding.buttonId} icon="plus" onPress={adding.open}>
              {said.addTask}
            </Button>
          )}
          <Button kind="quiet" onPress={() => set({ done: showsDone ? undefined : 'true' })}>
            {showsDone ? said.hideDone : said.showDone}
          </Button>
        </div>
      )}
      <TabList found={found} empty={showsDone ? said.tasksNoneDone : said.tasksEmpty}>
        {(tasks) => <TaskLines label={names.tasks} tasks={tasks} groups={undefined} without="company" />}
      </TabList>
    </section>
  );
}

function TaskForm({ company, adding }: { company: Company; adding: ReturnType<typeof useAdding> }) {
  const said = useWords(words);
  const names = useWords(shared);
  const { timeZone } = useLanguage();
  const { members } = useMembers();
  const { user } = useSession();
  const draft = useAddingDraft(adding, `task ${company.id}`, { ...NO_TITLE, assignee: user.id });
  const task = useTitleAndDue(draft, names.due.today.toLowerCase());
  const [hasDueFault, setHasDueFault] = useState(false);
  const add = async () => {
    const { title, due } = task.result;
    if (!due) return;
    const body = {
      title,
      ...instantOf(due, timeZone),
      user_id: draft.values.assignee,
      related_company_id: company.id,
    };
    const id = await storeTask(body, draft);
    await draft.done(said.taskAdded, 'tasks', {
      of: `task ${id}`,
      run: () => call('DELETE /tasks/{id}', { params: { id } }),
    });
  };
  const check = () => {
    setHasDueFault(!task.result.due);
    return task.result.due !== undefined;
  };
  return (
    <div className="company-form">
      <Form onSubmit={add} onCancel={draft.cancel} check={check}>
        <div>
          <TextField
            name="title"
            label={said.taskTitle}
            maxLength={255}
            isRequired
            autoFocus
            value={task.title}
            onChange={task.changeTitle}
            onKeyDown={(event) => {
              if (event.key === 'Escape' && task.dueInTitle !== undefined) task.keepInTitle();
              else event.continuePropagation();
            }}
          />
          <DueFromTitle task={task} />
        </div>
        <div className="form-row">
          <DueField
            text={task.due}
            onChange={task.changeDue}
            hasError={hasDueFault && !task.result.due}
            showsLabel
          />
          <Select
            label={names.assignedTo}
            options={members.map((member) => ({ id: member.id, label: member.name }))}
            {...draft.field('assignee')}
          />
        </div>
        <FormButtons onCancel={draft.cancel}>{names.add}</FormButtons>
      </Form>
    </div>
  );
}
