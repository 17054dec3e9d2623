import type { TaskGroup, TaskRow } from './use-tasks.ts';

export type Item =
  | { kind: 'heading'; key: string; group: TaskGroup }
  | { kind: 'task'; key: string; task: TaskRow; at: number };

/**
 * Tasks by group, each with its heading. A task whose date has just changed is in its new group before the list is
 * read again.
 * @returns also the tasks, in the order in which they are shown
 */
export function itemsOf(
  given: readonly TaskRow[],
  groups: readonly TaskGroup[] = [],
): { items: readonly Item[]; tasks: readonly TaskRow[] } {
  const found = given.map((task) => ({ task, group: groups.find((one) => isIn(one, task)) }));
  const tasks: TaskRow[] = [];
  const items: Item[] = [];
  for (const group of [undefined, ...groups]) {
    const own = found.filter((one) => one.group === group);
    if (group && own.length > 0) items.push({ kind: 'heading', key: group.group, group });
    for (const { task } of own) items.push({ kind: 'task', key: task.id, task, at: tasks.push(task) - 1 });
  }
  return { items, tasks };
}

function isIn({ group, due_from, due_before }: TaskGroup, { due_date, completed }: TaskRow): boolean {
  if (completed || group === 'done') return completed && group === 'done';
  return (due_from === null || due_date >= due_from) && (due_before === null || due_date < due_before);
}
