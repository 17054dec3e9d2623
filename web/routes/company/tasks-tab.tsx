import { useInfiniteQuery, useQueryClient, type InfiniteData } from '@tanstack/react-query';
import { useState } from 'react';
import { call, type CallResult } from '../../client/call.ts';
import { momentOn } from '../../client/due-date.ts';
import { useMembers } from '../../client/members.ts';
import { listOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { useMutationWithUndo } from '../../client/undo.ts';
import { Button } from '../../components/button.tsx';
import { Checkbox } from '../../components/checkbox.tsx';
import { DatePicker } from '../../components/date-picker.tsx';
import { Form } from '../../components/form.tsx';
import { PersonName } from '../../components/person-name.tsx';
import { Select } from '../../components/select.tsx';
import { TextField } from '../../components/text-field.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { Due } from './due.tsx';
import { TabList } from './tab-list.tsx';
import { useAdding } from './use-adding.ts';
import type { Company } from './use-company.ts';
import { words } from './words.ts';

type Answer = CallResult<'GET /tasks'>;
type Task = Answer['data']['data'][number];

/** What is to be done for the company, the next first; what is done, on request. */
export function TasksTab({ company }: { company: Company }) {
  const said = useWords(words);
  const names = useWords(shared);
  const [showsDone, setShowsDone] = useState(false);
  const list = listOf('GET /tasks', {
    query: { company_id: company.id, completed: showsDone ? 'true' : 'false', sort: 'due_date' },
  });
  const found = useInfiniteQuery({ ...list, placeholderData: undefined });
  const adding = useAdding({ label: said.addTask, group: names.tasks, isAllowed: !company.is_deleted });
  const completion = useCompletion(list.queryKey);
  return (
    <section className="company-tab" aria-label={names.tasks}>
      {adding.isOpen ? (
        <TaskForm company={company} adding={adding} />
      ) : (
        <div className="company-actions" ref={adding.button}>
          {!company.is_deleted && (
            <Button icon="plus" onPress={adding.open}>
              {said.addTask}
            </Button>
          )}
          <Button kind="quiet" onPress={() => setShowsDone(!showsDone)}>
            {showsDone ? said.hideDone : said.showDone}
          </Button>
        </div>
      )}
      <TabList found={found} empty={said.tasksEmpty} action={null}>
        {(task) => (
          <TaskRow
            key={task.id}
            task={task}
            onComplete={(completed) => completion.mutate({ task, completed })}
          />
        )}
      </TabList>
    </section>
  );
}

function TaskRow({ task, onComplete }: { task: Task; onComplete: (completed: boolean) => void }) {
  const said = useWords(words);
  const { nameOf, isReady } = useMembers();
  return (
    <li className="company-row">
      <Checkbox
        label={said.completeTask(task.title)}
        hideLabel
        isSelected={task.completed}
        onChange={onComplete}
      />
      <div className="company-row-main">
        <span className="company-row-title">{task.title}</span>
        {task.description && <span className="company-row-more">{task.description}</span>}
      </div>
      <div className="company-row-end">
        <Due task={task} isDone={task.completed} />
        <PersonName name={nameOf(task.user_id) ?? (isReady ? said.formerMember : '…')} />
      </div>
    </li>
  );
}

type Pages = InfiniteData<Answer>;
type Completion = { task: Task; completed: boolean };

function useCompletion(queryKey: readonly unknown[]) {
  const said = useWords(words);
  const client = useQueryClient();
  return useMutationWithUndo({
    run: setCompleted,
    undo: ({ task, completed }) => setCompleted({ task, completed: !completed }),
    text: ({ task }) => said.taskDone(task.title),
    keys: [queryKey],
    show: ({ task }) =>
      client.setQueryData<Pages>(
        queryKey,
        (pages) =>
          pages && {
            ...pages,
            pages: pages.pages.map((page) => ({
              ...page,
              data: { ...page.data, data: page.data.data.filter(({ id }) => id !== task.id) },
            })),
          },
      ),
  });
}

function setCompleted({ task, completed }: Completion) {
  return call('PATCH /tasks/{id}', { params: { id: task.id }, body: { completed } });
}

function TaskForm({ company, adding }: { company: Company; adding: ReturnType<typeof useAdding> }) {
  const said = useWords(words);
  const names = useWords(shared);
  const format = useFormat();
  const { members } = useMembers();
  const { user } = useSession();
  const [today] = useState(() => format.day(new Date().toISOString()));
  const [day, setDay] = useState<string | null>(today);
  const [assignee, setAssignee] = useState(user.id);
  const add = async ({ title = '' }: Readonly<Record<string, string>>) => {
    const body = {
      title: title.trim(),
      due_date: momentOn(day ?? today, format.day),
      has_time_specified: false,
      user_id: assignee,
      related_company_id: company.id,
    };
    await call('POST /tasks', { body, idempotencyKey: adding.keyOf(body) });
    await adding.done(said.taskAdded, 'tasks');
  };
  return (
    <div className="company-form">
      <Form onSubmit={add}>
        {({ isPending }) => (
          <>
            <TextField name="title" label={said.taskTitle} maxLength={255} isRequired autoFocus />
            <div className="form-row">
              <DatePicker label={said.dueDate} value={day} onChange={setDay} />
              <Select
                label={names.assignedTo}
                options={members.map((member) => ({ id: member.id, label: member.name }))}
                value={assignee}
                onChange={setAssignee}
              />
            </div>
            <div className="form-buttons">
              <Button onPress={adding.close}>{names.cancel}</Button>
              <Button type="submit" kind="primary" isPending={isPending}>
                {names.add}
              </Button>
            </div>
          </>
        )}
      </Form>
    </div>
  );
}
