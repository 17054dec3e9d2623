import { Suspense, useLayoutEffect, useMemo, useRef, useState, type KeyboardEvent } from 'react';
import { useMedia } from '../../components/media.ts';
import { useActive } from '../../components/use-active.ts';
import { lazyPart } from '../../frame/lazy-part.tsx';
import { GroupHeading } from './group-heading.tsx';
import { itemsOf } from './items.ts';
import { isOnRow, nameOfRow, TaskCells } from './task-row.tsx';
import { useMoveKeys } from '../../components/use-move-keys.ts';
import type { OpenTask } from './task-editor.tsx';
import { useTaskActions, type TaskGroup, type TaskRow } from './use-tasks.ts';
import './task-list.css';

const TaskEditor = lazyPart(async () => (await import('./task-editor.tsx')).TaskEditor);

/** A few tasks within another page, with the keyboard shortcuts of the task list. */
export function TaskLines({
  label,
  tasks: given,
  groups,
  without,
}: {
  label: string;
  tasks: readonly TaskRow[];
  groups: readonly TaskGroup[] | undefined;
  without: 'company' | 'person';
}) {
  const isPhone = useMedia('phone');
  const { complete, remove } = useTaskActions();
  const [open, setOpen] = useState<OpenTask>();
  const lines = useRef<HTMLDivElement>(null);
  const [hadFocus, setHadFocus] = useState(false);
  const { items, tasks } = useMemo(() => itemsOf(given, groups), [given, groups]);
  const [current, setActive] = useActive(tasks, ({ id }) => id);
  const focus = (at: number) => lines.current?.querySelector<HTMLElement>(`[data-task="${at}"]`)?.focus();
  useLayoutEffect(() => {
    // The line that had the focus is gone, since its task was completed or deleted: the next one takes the focus.
    if (!hadFocus || document.activeElement !== document.body) return;
    if (tasks.length > 0) focus(current);
    else document.querySelector('h1')?.focus();
  });
  useMoveKeys(label, (by) => focus(current + by), hadFocus);
  if (tasks.length === 0) return null;

  const press = (event: KeyboardEvent) => {
    const task = tasks[current];
    if (!(event.target instanceof Element) || !task || !event.target.matches('[role=row]')) return;
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const moves: Record<string, () => void> = {
      ArrowDown: () => focus(current + 1),
      ArrowUp: () => focus(current - 1),
      Enter: () => toggle(task.id),
      e: () => toggle(task.id),
    };
    const changes: Record<string, () => void> = {
      x: () => complete(task),
      Delete: () => remove(task),
    };
    const action = moves[event.key] ?? (event.repeat ? undefined : changes[event.key]);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };
  const toggle = (id: string) => setOpen(open?.id === id ? undefined : { id });
  return (
    <div
      className="task-list"
      role="treegrid"
      aria-label={label}
      onFocus={() => setHadFocus(true)}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) setHadFocus(false);
      }}
    >
      <div ref={lines} role="rowgroup">
        {items.map((item) => {
          if (item.kind === 'heading') return <GroupHeading key={item.key} group={item.group} level="h3" />;
          const isOpen = item.task.id === open?.id;
          return (
            <div
              key={item.key}
              role="row"
              className="task-row"
              tabIndex={item.at === current ? 0 : -1}
              data-task={item.at}
              data-open={isOpen || undefined}
              {...nameOfRow(item.task, isOpen)}
              aria-expanded={isOpen}
              onFocus={() => setActive(item.at)}
              onClick={isOpen ? undefined : (event) => isOnRow(event) && toggle(item.task.id)}
              onKeyDown={press}
            >
              {open && isOpen ? (
                <Suspense>
                  <TaskEditor
                    task={item.task}
                    open={open}
                    onBegun={() => setOpen({ id: item.task.id })}
                    onClose={() => toggle(item.task.id)}
                  />
                </Suspense>
              ) : (
                <TaskCells
                  task={item.task}
                  isActive={item.at === current}
                  isPhone={isPhone}
                  without={without}
                  saysLate={!groups}
                  onOpen={() => toggle(item.task.id)}
                  onPickDay={() => setOpen({ id: item.task.id, edits: 'due' })}
                />
              )}
            </div>
          );
        })}
      </div>
    </div>
  );
}
