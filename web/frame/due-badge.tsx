import { useQuery } from '@tanstack/react-query';
import { useSession } from '../client/session.ts';
import { taskGroups } from '../client/task-groups.ts';
import { useWords } from '../words/dictionary.ts';
import { frameWords } from './words.ts';

/** A larger number would not fit, and nobody would act differently on it. */
const MOST = 99;

/** How many of the person's tasks are overdue or due today; nothing while there are none. */
export function DueBadge() {
  const words = useWords(frameWords);
  const { user } = useSession();
  const { data } = useQuery(taskGroups(user.id));
  const groups = data?.data.data.groups ?? [];
  const due = groups.filter(({ group }) => group === 'overdue' || group === 'today');
  const count = due.reduce((sum, one) => sum + one.count, 0);
  if (count === 0) return null;
  const shown = count > MOST ? `${MOST}+` : String(count);
  return (
    <span className="navigation-count">
      <span aria-hidden="true">{shown}</span>
      <span className="visually-hidden">{words.dueTasks(shown)}</span>
    </span>
  );
}
