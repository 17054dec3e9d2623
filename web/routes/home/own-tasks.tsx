import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { rowsOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { taskGroups } from '../../client/task-groups.ts';
import { ErrorState } from '../../components/error-state.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { TaskLines } from '../tasks/task-lines.tsx';
import { taskRows } from '../tasks/use-tasks.ts';
import { Section } from './section.tsx';
import { homeWords } from './words.ts';

/** Tasks shown; the rest is a click away. */
const MOST = 12;
/** How many of these may be due after today. */
const MOST_NEXT = 3;

/** The user's tasks that are overdue or due today, and the next ones. */
export function OwnTasks() {
  const words = useWords(homeWords);
  const format = useFormat();
  const { user } = useSession();
  const groups = useQuery(taskGroups(user.id));
  const query = useInfiniteQuery(
    taskRows({ user_id: user.id, completed: 'false', sort: 'due_date', limit: String(MOST) }),
  );
  const counts = groups.data?.data.data.groups;
  const rows = rowsOf(query.data)?.slice(0, MOST);
  const error = query.error ?? groups.error;
  const tryAgain = () => void Promise.all([query.refetch(), groups.refetch()]);
  const link = { to: '/tasks', text: words.allTasks };
  if (!rows || !counts) {
    return (
      <Section title={words.yourTasks} link={link}>
        {error ? <ErrorState error={error} onRetry={tryAgain} /> : <Skeleton rows={5} />}
      </Section>
    );
  }
  const todayEnds = counts.find(({ group }) => group === 'today')?.due_before ?? '';
  const now = rows.filter(({ due_date }) => due_date < todayEnds);
  const next = rows.filter(({ due_date }) => due_date >= todayEnds).slice(0, MOST_NEXT);
  const due = counts.filter(({ group }) => group === 'overdue' || group === 'today');
  // Subtracts the page size, not the number of rows: a task just completed is still in the counts, but not in the rows.
  const isCut = query.hasNextPage && next.length === 0;
  const left = isCut ? due.reduce((sum, { count }) => sum + count, 0) - MOST : 0;
  const isCapped = due.some(({ is_capped }) => is_capped);
  return (
    <Section
      title={words.yourTasks}
      link={left > 0 ? { to: '/tasks', text: words.moreTasks(format.count(left, isCapped)) } : link}
    >
      {now.length === 0 && <p className="home-nothing">{words.noTasks}</p>}
      <TaskLines label={words.yourTasks} tasks={now} groups={counts} without="person" />
      {next.length > 0 && (
        <>
          <h3 className="home-next">{words.next}</h3>
          <TaskLines label={words.next} tasks={next} groups={undefined} without="person" />
        </>
      )}
    </Section>
  );
}
