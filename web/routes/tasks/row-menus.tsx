import { getDayOfWeek, parseDate } from '@internationalized/date';
import { useEffectEvent, useLayoutEffect, useState, type ReactNode } from 'react';
import { useSession } from '../../client/session.ts';
import { Menu, MenuChoice, MenuItem } from '../../components/menu.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { useLanguage } from '../../words/language.ts';
import { shared } from '../../words/shared.ts';
import { instantOf } from './due-instant.ts';
import { dueOf } from './due.ts';
import { Person } from './person.tsx';
import { useAssignees, useTaskActions, type TaskRow } from './use-tasks.ts';
import { tasksWords } from './words.ts';

/** Whether a key press asked for the menu, and what is called once it is open. */
type Asked = { isAsked: boolean; onShown: (() => void) | undefined };

/** Counts the key presses that asked for the menu. The count is the menu's React key: a new menu starts open. */
function useAsked({ isAsked, onShown }: Asked): number {
  const [times, setTimes] = useState(0);
  const [wasAsked, setWasAsked] = useState(false);
  if (isAsked !== wasAsked) {
    setWasAsked(isAsked);
    if (isAsked) setTimes(times + 1);
  }
  const show = useEffectEvent(() => onShown?.());
  useLayoutEffect(() => {
    if (isAsked) show();
  }, [isAsked]);
  return times;
}

/** Moves a task to a day; its time of day stays. */
export function DueMenu({
  task,
  trigger,
  onPickDay,
  ...asked
}: Asked & {
  task: TaskRow;
  trigger: ReactNode;
  onPickDay: () => void;
}) {
  const words = useWords(tasksWords);
  const { due } = useWords(shared);
  const format = useFormat();
  const { timeZone } = useLanguage();
  const { change } = useTaskActions();
  const today = parseDate(format.today());
  const days = [
    [due.today, 0],
    [due.tomorrow, 1],
    [words.nextWeek, 7 - getDayOfWeek(today, 'nb-NO')],
    [words.inAWeek, 7],
  ] as const;
  const { time } = dueOf(task, format);
  const times = useAsked(asked);
  return (
    <Menu
      key={times}
      defaultOpen={times > 0}
      className="task-control"
      trigger={<Named label={words.due}>{trigger}</Named>}
    >
      {days.map(([label, count]) => {
        const day = today.add({ days: count }).toString();
        return (
          <MenuItem
            key={label}
            onAction={() =>
              change({
                task,
                to: instantOf({ day, time }, timeZone),
                said: words.movedNow(format.relative(day)),
              })
            }
            keys={format.weekday(day, 'short')}
          >
            {label}
          </MenuItem>
        );
      })}
      <MenuItem icon="calendar" onAction={onPickDay}>
        {words.otherDay}
      </MenuItem>
    </Menu>
  );
}

/** Gives the task to somebody. */
export function PersonMenu({ task, ...asked }: Asked & { task: TaskRow }) {
  const words = useWords(tasksWords);
  const members = useAssignees();
  const { user } = useSession();
  const times = useAsked(asked);
  const { change } = useTaskActions();
  return (
    <Menu
      key={times}
      defaultOpen={times > 0}
      className="task-control"
      trigger={
        <Named label={words.person}>
          <Person task={task} />
        </Named>
      }
    >
      <MenuChoice
        title={words.reassign}
        options={members.map(({ id, name }) => ({ id, label: name }))}
        chosen={task.user_id}
        onChoose={(user_id) => {
          const name = members.find(({ id }) => id === user_id)?.name ?? '';
          if (user_id === task.user_id) return;
          const [first_name = '', ...rest] = name.split(' ');
          const person = { id: user_id, first_name, last_name: rest.join(' '), is_member: true };
          const said = words.givenNow(user_id === user.id ? user.first_name : name);
          change({ task, to: { user_id }, shown: { user: person }, said });
        }}
      />
    </Menu>
  );
}

/** Adds a label for screen readers: a date or a name alone does not say what its menu changes. */
function Named({ label, children }: { label: string; children: ReactNode }) {
  return (
    <>
      <span className="visually-hidden">{`${label}: `}</span>
      {children}
    </>
  );
}

/** The other actions on a task. */
export function MoreMenu({ task, onOpen }: { task: TaskRow; onOpen: () => void }) {
  const words = useWords(tasksWords);
  const { complete, remove } = useTaskActions();
  return (
    <Menu label={words.actions(task.title)}>
      <MenuItem icon="check" keys="x" onAction={() => complete(task)}>
        {task.completed ? words.reopen : words.completeTask}
      </MenuItem>
      <MenuItem icon="edit" keys="Enter" onAction={onOpen}>
        {words.editTask}
      </MenuItem>
      <MenuItem icon="trash" keys="Del" kind="danger" onAction={() => remove(task)}>
        {words.deleteTask}
      </MenuItem>
    </Menu>
  );
}
