import { Badge } from '../../components/status.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import './due.css';

/** When a task is due: the day, the time where it has one, and a word where it is overdue. */
export function Due({
  task,
  isDone = false,
}: {
  task: { due_date: string; has_time_specified: boolean };
  isDone?: boolean;
}) {
  const { due } = useWords(shared);
  const format = useFormat();
  const { due_date: at, has_time_specified: hasTime } = task;
  // A task without a time is due at the end of its day.
  const isOverdue = !isDone && (hasTime ? isPast(at) : format.daysFromToday(at) < 0);
  const day = format.relative(format.day(at));
  return (
    <span className="due">
      {isOverdue && <Badge tone="danger">{due.overdue}</Badge>}
      <time dateTime={hasTime ? at : format.day(at)} title={hasTime ? format.full(at) : format.date(at)}>
        {hasTime ? `${day}, ${format.time(at)}` : day}
      </time>
    </span>
  );
}

function isPast(at: string): boolean {
  return Date.parse(at) < Date.now();
}
