import { Badge } from '../../components/status.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { isOverdue, sayDue } from '../tasks/due.ts';
import './due.css';

/** When an open task is due: the day, the time where it has one, and a word where it is overdue. */
export function Due({ task }: { task: { due_date: string; has_time_specified: boolean } }) {
  const words = useWords(shared);
  const format = useFormat();
  const due = format.due(task);
  return (
    <span className="due">
      {isOverdue(task, format) && <Badge tone="danger">{words.due.overdue}</Badge>}
      <time dateTime={due} title={format.full(due)}>
        {sayDue(task, format)}
      </time>
    </span>
  );
}
