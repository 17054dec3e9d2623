import { PersonInitials } from '../../components/person-name.tsx';
import { useWords } from '../../words/dictionary.ts';
import type { TaskRow } from './use-tasks.ts';
import { tasksWords } from './words.ts';

export function nameOf({ user }: TaskRow): string {
  return `${user.first_name} ${user.last_name}`.trim();
}

/** Whose task it is. */
export function Person({ task }: { task: TaskRow }) {
  const words = useWords(tasksWords);
  const name = task.user.is_member ? nameOf(task) : `${nameOf(task)} (${words.gone})`;
  return <PersonInitials name={nameOf(task)} title={name} />;
}
