import type { TaskGroup, TaskRow } from './use-tasks.ts';

export type Item =
  | { kind: 'heading'; key: string; group: TaskGroup }
  | { kind: 'task'; key: string; task: TaskRow; at: number };

/** Tasks in order of their due date, with the heading of each group before its first. */
export function itemsOf(tasks: readonly TaskRow[], groups: readonly TaskGroup[] | undefined): Item[] {
  let last: TaskGroup | undefined;
  return tasks.flatMap((task, at): Item[] => {
    const row: Item = { kind: 'task', key: task.id, task, at };
    const group = groups?.find((one) => isIn(one, task));
    if (!group || group === last) return [row];
    last = group;
    return [{ kind: 'heading', key: group.group, group }, row];
  });
}

function isIn({ group, due_from, due_before }: TaskGroup, { due_date, completed }: TaskRow): boolean {
  if (completed || group === 'done') return completed && group === 'done';
  return (due_from === null || due_date >= due_from) && (due_before === null || due_date < due_before);
}
