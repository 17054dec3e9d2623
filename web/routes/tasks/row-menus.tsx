import { useSession } from '../../client/session.ts';
import { Menu, MenuChoice, MenuItem } from '../../components/menu.tsx';
import { useWords } from '../../words/dictionary.ts';
import { shared } from '../../words/shared.ts';
import { Person } from './person.tsx';
import { useAssignees, useTaskActions, type TaskRow } from './use-tasks.ts';
import { tasksWords } from './words.ts';

/** Gives the task to somebody. */
export function PersonMenu({ task, isOpen }: { task: TaskRow; isOpen: boolean }) {
  const words = useWords(tasksWords);
  const members = useAssignees();
  const { user } = useSession();
  const { change } = useTaskActions();
  return (
    <Menu key={String(isOpen)} defaultOpen={isOpen} className="task-control" trigger={<Person task={task} />}>
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

/** All else that is done to a task. */
export function MoreMenu({ task, onOpen }: { task: TaskRow; onOpen: () => void }) {
  const words = useWords(tasksWords);
  const names = useWords(shared);
  const { complete, remove } = useTaskActions();
  return (
    <Menu label={words.actions(task.title)}>
      <MenuItem icon="check" keys="x" onAction={() => complete(task)}>
        {task.completed ? names.undo : words.completeTask}
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
