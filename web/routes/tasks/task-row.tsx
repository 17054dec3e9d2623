import { Link } from '@tanstack/react-router';
import { Suspense, useState, type MouseEvent } from 'react';
import { Icon } from '../../components/icon.tsx';
import { lazyPart } from '../../frame/lazy-part.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat, type Format } from '../../words/format.ts';
import { dueOf, isOverdue } from './due.ts';
import { Person } from './person.tsx';
import { useTaskActions, type TaskRow } from './use-tasks.ts';
import { tasksWords } from './words.ts';

// Loaded later: Home, which most people load first, does not wait for menus that only the pointer or a key asks for.
const menus = () => import('./row-menus.tsx');
const DueMenu = lazyPart(
  async () => (await menus()).DueMenu,
  ({ trigger }) => trigger,
);
const PersonMenu = lazyPart(async () => (await menus()).PersonMenu, Person);
const MoreMenu = lazyPart(async () => (await menus()).MoreMenu);

/** Whether a click is meant for the row: not for something in it, nor for a menu that belongs to it. */
export function isOnRow({ target, currentTarget }: MouseEvent): boolean {
  return target instanceof Element && currentTarget.contains(target) && target.closest('a, button') === null;
}

const NAMING = ['title', 'company', 'due', 'person'] as const;

/** What a screen reader says of a row: what its cells say, without the check box, whose name has the title again. */
export function nameOfRow(task: TaskRow, isOpen: boolean) {
  if (isOpen) return { 'aria-label': task.title };
  return { 'aria-labelledby': NAMING.map((cell) => cellId(task, cell)).join(' ') };
}

function cellId({ id }: TaskRow, cell: (typeof NAMING)[number] | 'check'): string {
  return `task-${cell}-${id}`;
}

/** The menu that a key press asked for, to be opened in the row. */
export type RowMenu = 'due' | 'person';

/**
 * One task as the cells of a row. Its menus exist only while the pointer or the focus is on the row. On a phone there
 * are none: a tap opens the task, where everything is changed.
 */
export function TaskCells({
  task,
  isActive,
  isPhone,
  without,
  saysLate = false,
  menu,
  onMenuShown,
  onOpen,
  onPickDay,
}: {
  task: TaskRow;
  isActive: boolean;
  isPhone: boolean;
  /** A cell to leave out, since the page already says which company or person it is. */
  without?: 'company' | 'person' | undefined;
  /** Whether the row says that it is overdue, where no heading does. */
  saysLate?: boolean;
  menu?: RowMenu | undefined;
  /** Called once the menu has opened: it does not open again when the row does. */
  onMenuShown?: () => void;
  onOpen: () => void;
  onPickDay: () => void;
}) {
  const words = useWords(tasksWords);
  const [isHovered, setIsHovered] = useState(false);
  const { complete } = useTaskActions();
  const isLive = !isPhone && (isActive || isHovered);
  const due = <DueText task={task} saysLate={saysLate} />;
  return (
    <div
      role="presentation"
      className="task-cells"
      onPointerEnter={({ pointerType }) => setIsHovered(pointerType === 'mouse')}
      onPointerLeave={() => setIsHovered(false)}
    >
      <span role="gridcell">
        <button
          type="button"
          role="checkbox"
          id={cellId(task, 'check')}
          className="task-check"
          aria-checked={task.completed}
          aria-label={task.completed ? words.reopen : words.complete}
          aria-labelledby={`${cellId(task, 'check')} ${cellId(task, 'title')}`}
          tabIndex={isActive ? 0 : -1}
          onClick={() => complete(task)}
        >
          <Icon name="check" />
        </button>
      </span>
      <span role="gridcell" className="task-title">
        <span id={cellId(task, 'title')} className="truncate" data-done={task.completed || undefined}>
          {task.title}
        </span>
        {task.description && <Icon name="note" />}
      </span>
      {without !== 'company' && (
        <span role="gridcell" id={cellId(task, 'company')} className="task-company">
          <CompanyLink task={task} isActive={isActive} />
        </span>
      )}
      <span role="gridcell" id={cellId(task, 'due')} className="task-due">
        {isLive ? (
          <Suspense fallback={due}>
            <DueMenu
              task={task}
              isAsked={menu === 'due'}
              onShown={onMenuShown}
              onPickDay={onPickDay}
              trigger={due}
            />
          </Suspense>
        ) : (
          due
        )}
      </span>
      {without !== 'person' && (
        <span role="gridcell" id={cellId(task, 'person')} className="task-person">
          {isLive ? (
            <Suspense fallback={<Person task={task} />}>
              <PersonMenu task={task} isAsked={menu === 'person'} onShown={onMenuShown} />
            </Suspense>
          ) : (
            <Person task={task} />
          )}
        </span>
      )}
      {!isPhone && (
        <span role="gridcell" className="task-more">
          <Suspense>{isLive && <MoreMenu task={task} onOpen={onOpen} />}</Suspense>
        </span>
      )}
    </div>
  );
}

function CompanyLink({ task: { company }, isActive }: { task: TaskRow; isActive: boolean }) {
  const words = useWords(tasksWords);
  if (!company) return null;
  return (
    <Link
      to="/companies/$orgnr"
      params={{ orgnr: company.orgnr }}
      className="truncate"
      tabIndex={isActive ? 0 : -1}
      onClick={(event) => event.stopPropagation()}
    >
      {company.name}
      {company.is_deleted && ` (${words.deletedCompany})`}
    </Link>
  );
}

function DueText({ task, saysLate }: { task: TaskRow; saysLate: boolean }) {
  const words = useWords(tasksWords);
  const format = useFormat();
  const { day, time } = dueOf(task, format);
  const isLate = isOverdue(task, format);
  const days = format.daysFromToday(task.due_date);
  const text = days === 0 && time !== null ? time : sayDay(day, time, format);
  return (
    <time
      dateTime={task.due_date}
      className="task-time truncate"
      data-late={isLate || undefined}
      title={format.full(format.due(task))}
    >
      {isLate && (saysLate || days === 0) ? words.overdueAt(text) : text}
    </time>
  );
}

const WEEK = 7;

function sayDay(day: string, time: string | null, format: Format): string {
  const days = format.daysFromToday(day);
  if (days >= WEEK) return format.date(day);
  const said = days > 1 ? format.weekday(day) : format.relative(day);
  return time === null || days < 0 ? said : `${said} ${time}`;
}
