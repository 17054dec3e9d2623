import type { Format } from '../../words/format.ts';
import type { Due } from './due-text.ts';
import type { TaskRow } from './use-tasks.ts';

/** The day and the time of a due date, as the person reads them. */
export function dueOf({ due_date, has_time_specified }: DueFields, format: Format): Due {
  return { day: format.day(due_date), time: has_time_specified ? format.time(due_date) : null };
}

/** The day, and the time where the task has one: "i morgen, 09:00", and not "in 15 hours". */
export function sayDue(task: DueFields, format: Format): string {
  const { day, time } = dueOf(task, format);
  const said = format.relative(day);
  return time === null ? said : `${said}, ${time}`;
}

type DueFields = Pick<TaskRow, 'due_date' | 'has_time_specified'>;

/** Whether the task is overdue: by its day, or by its time where it has one. */
export function isOverdue(task: DueFields & { completed?: boolean }, format: Format): boolean {
  if (task.completed) return false;
  const days = format.daysFromToday(task.due_date);
  return days < 0 || (days === 0 && task.has_time_specified && Date.parse(task.due_date) < Date.now());
}
