import { useVirtualizer } from '@tanstack/react-virtual';
import {
  useLayoutEffect,
  useMemo,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
  useImperativeHandle,
} from 'react';
import { useNextPage, type Paged } from '../../client/next-page.ts';
import { useMedia } from '../../components/media.ts';
import { useActive } from '../../components/use-active.ts';
import { HEIGHTS, rangeWith, useOverscan } from '../../components/use-rows.ts';
import { GroupHeading } from './group-heading.tsx';
import { itemsOf } from './items.ts';
import { TaskEditor, type OpenTask } from './task-editor.tsx';
import { isOnRow, nameOfRow, TaskCells, type RowMenu } from './task-row.tsx';
import { useMoveKeys } from '../../components/use-move-keys.ts';
import { useTaskActions, type TaskGroup, type TaskRow } from './use-tasks.ts';
import './task-list.css';

/** Lets the page move the focus into the list. */
export type TaskListHandle = { focus: () => void };

/**
 * Tasks below the headings of their groups. Only tasks in view are rendered. Arrows or j and k move, Enter opens, x
 * completes, e edits, d moves the due date, a assigns to somebody, Delete deletes.
 */
export function TaskList({
  label,
  tasks: given,
  groups,
  pages,
  handle,
  empty,
}: {
  label: string;
  tasks: readonly TaskRow[];
  /** Undefined for a list of one group. */
  groups: readonly TaskGroup[] | undefined;
  pages: Paged;
  handle?: Ref<TaskListHandle>;
  /** Shown in place of an empty list. */
  empty: ReactNode;
}) {
  const isPhone = useMedia('phone');
  const { complete, remove } = useTaskActions();
  const scroller = useRef<HTMLDivElement>(null);
  const [open, setOpen] = useState<OpenTask>();
  const openId = open?.id;
  const [menu, setMenu] = useState<{ id: string; kind: RowMenu }>();
  const wantsFocus = useRef(false);
  const hadFocus = useRef(false);
  const { items, tasks } = useMemo(() => itemsOf(given, groups), [given, groups]);
  const [current, setActive] = useActive(tasks, ({ id }) => id);

  const isKept = ({ at, task }: { at: number; task: TaskRow }) => at === current || task.id === openId;
  const isTouch = window.matchMedia('(pointer: coarse)').matches;
  const height = isPhone ? HEIGHTS.phone : isTouch ? HEIGHTS.touch : HEIGHTS.pointer;
  const overscan = useOverscan(items.length);
  // oxlint-disable-next-line react/incompatible-library -- nothing memoises what it gives: there is no compiler
  const virtualizer = useVirtualizer({
    count: items.length,
    getScrollElement: () => scroller.current,
    estimateSize: (at) => (items[at]?.kind === 'heading' ? HEIGHTS.touch : height),
    getItemKey: (at) => items[at]?.key ?? at,
    overscan,
    // All headings are rendered, for screen readers to jump to, and the open task, so that it keeps what is typed.
    rangeExtractor: (range) =>
      rangeWith(
        range,
        items.flatMap((item, index) => (item.kind === 'heading' || isKept(item) ? [index] : [])),
      ),
  });
  const shown = virtualizer.getVirtualItems();
  const last = (virtualizer.range?.endIndex ?? 0) + overscan;
  useNextPage(pages, last >= items.length - 20);

  const rowAt = (at: number) => scroller.current?.querySelector<HTMLElement>(`[data-task="${at}"]`);
  useLayoutEffect(() => {
    // The row that had the focus is gone: the next one takes its place, or the heading of the page.
    const isLost = hadFocus.current && document.activeElement === document.body;
    if (!wantsFocus.current && !isLost) return;
    const row = rowAt(current);
    if (!row && tasks.length > 0) return;
    wantsFocus.current = false;
    (row ?? document.querySelector('h1'))?.focus({ preventScroll: true });
  });

  const move = (to: number) => {
    if (tasks.length === 0) return document.querySelector('h1')?.focus();
    const next = Math.max(0, Math.min(tasks.length - 1, to));
    wantsFocus.current = true;
    setActive(next);
    virtualizer.scrollToIndex(items.findIndex((item) => item.kind === 'task' && item.at === next));
    // In a low window the page scrolls, too.
    scroller.current?.scrollIntoView({ block: 'nearest' });
    // The same row is not rendered again; a row out of view takes the focus once it is rendered.
    return rowAt(next)?.focus({ preventScroll: true });
  };
  const isInside = () => scroller.current?.contains(document.activeElement) ?? false;
  useImperativeHandle(handle, () => ({ focus: () => move(current) }));
  const task = tasks[current];
  const toggle = (id: string) => {
    wantsFocus.current = openId === id;
    setOpen(openId === id ? undefined : { id });
  };
  useMoveKeys(label, (by) => move(isInside() ? current + by : current));

  const press = (event: KeyboardEvent) => {
    const { target, currentTarget, key } = event;
    if (!(target instanceof Element) || event.ctrlKey || event.metaKey || event.altKey || !task) return;
    // A menu, a list or a calendar over the page gives its keys to the row that it belongs to, too.
    if (!currentTarget.contains(target) || target.closest('.task-editor')) return;
    const { id } = task;
    const isRow = target === currentTarget;
    const moves: Record<string, () => void> = {
      ArrowDown: () => move(current + 1),
      ArrowUp: () => move(current - 1),
      Home: () => move(0),
      End: () => move(tasks.length - 1),
      Enter: () => toggle(id),
      e: () => setOpen({ id, edits: 'title' }),
      Escape: () => openId === id && toggle(id),
    };
    const ask = (kind: RowMenu) =>
      isPhone || openId === id ? setOpen({ id, edits: kind }) : setMenu({ id, kind });
    const changes: Record<string, () => void> = {
      x: () => complete(task),
      d: () => ask('due'),
      a: () => ask('person'),
      Delete: () => remove(task),
      Backspace: () => remove(task),
    };
    // A key that is held down moves on, but changes one task only.
    const action = (isRow ? moves[key] : undefined) ?? (event.repeat ? undefined : changes[key]);
    if (!action) return;
    event.preventDefault();
    event.stopPropagation();
    action();
  };

  if (tasks.length === 0) return empty;
  return (
    <div
      className="task-list"
      role="treegrid"
      aria-label={label}
      aria-rowcount={pages.hasNextPage ? -1 : items.length}
      data-phone={isPhone || undefined}
      onFocus={() => {
        hadFocus.current = true;
      }}
      onBlur={({ relatedTarget, currentTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) hadFocus.current = false;
      }}
    >
      <div ref={scroller} role="rowgroup" className="task-scroller">
        <div role="presentation" className="task-space" style={{ height: virtualizer.getTotalSize() }}>
          {shown.map(({ index, start, key }) => {
            const item = items[index]!;
            const place = {
              'data-index': index,
              ref: virtualizer.measureElement,
              'aria-rowindex': index + 1,
              style: { transform: `translateY(${start}px)` },
            };
            if (item.kind === 'heading') {
              return <GroupHeading key={key} group={item.group} level="h2" place={place} />;
            }
            const { id } = item.task;
            const isOpen = id === openId;
            return (
              <div
                key={key}
                {...place}
                role="row"
                className="task-row"
                tabIndex={item.at === current ? 0 : -1}
                data-task={item.at}
                data-open={isOpen || undefined}
                {...nameOfRow(item.task, isOpen)}
                aria-expanded={isOpen}
                aria-keyshortcuts="Enter x e d a Delete"
                onFocus={() => setActive(item.at)}
                onClick={isOpen ? undefined : (event) => isOnRow(event) && toggle(id)}
                onKeyDown={press}
              >
                {open && isOpen ? (
                  <TaskEditor
                    task={item.task}
                    open={open}
                    onBegun={() => setOpen({ id })}
                    onClose={() => toggle(id)}
                  />
                ) : (
                  <TaskCells
                    task={item.task}
                    isActive={item.at === current}
                    isPhone={isPhone}
                    menu={menu?.id === id ? menu.kind : undefined}
                    onMenuShown={() => setMenu(undefined)}
                    onOpen={() => toggle(id)}
                    onPickDay={() => setOpen({ id, edits: 'due' })}
                  />
                )}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
