import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useRef } from 'react';
import { useFilters } from '../../client/filters.ts';
import type { Prefetch } from '../../client/prefetch.ts';
import { rowsOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import { taskGroups } from '../../client/task-groups.ts';
import { Empty } from '../../components/empty.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { ExportMenuItem } from '../../components/export-menu-item.tsx';
import { LinkTabs } from '../../components/link-tabs.tsx';
import { Menu } from '../../components/menu.tsx';
import { ListEnd } from '../../components/next-page.tsx';
import { Skeleton } from '../../components/skeleton.tsx';
import { useCommands } from '../../frame/commands.tsx';
import { Page } from '../../frame/page.tsx';
import { useWords } from '../../words/dictionary.ts';
import { useFormat } from '../../words/format.ts';
import { shared } from '../../words/shared.ts';
import { QuickAdd } from './quick-add.tsx';
import { TaskList, type TaskListHandle } from './task-list.tsx';
import { taskRows, type TaskGroup } from './use-tasks.ts';
import { tasksWords } from './words.ts';
import './page.css';

export const prefetch: Prefetch = ({ client, search: { tab, who }, userId }) => {
  const whose = who === 'all' ? undefined : userId;
  void client.prefetchQuery(taskGroups(whose));
  // The tasks of a group can be asked for only after the first query: it says when the group begins and ends.
  if (tab === undefined) void client.prefetchInfiniteQuery(rowsQuery(whose, undefined));
};

function rowsQuery(whose: string | undefined, chosen: TaskGroup | undefined) {
  return taskRows(filtersOf(whose, chosen));
}

function filtersOf(whose: string | undefined, chosen: TaskGroup | undefined) {
  const isDone = chosen?.group === 'done';
  return {
    user_id: whose,
    completed: isDone ? 'true' : 'false',
    sort: isDone ? '-updated_at' : 'due_date',
    due_from: chosen?.due_from ?? undefined,
    due_before: chosen?.due_before ?? undefined,
  } as const;
}

export function TasksPage() {
  const words = useWords(tasksWords);
  const names = useWords(shared);
  const { user } = useSession();
  const { values } = useFilters<'tab' | 'who'>();
  const whose = values.who === 'all' ? undefined : user.id;
  const found = useQuery(taskGroups(whose));
  const groups = found.data?.data.data.groups;
  const chosen = groups?.find(({ group }) => group === values.tab);
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<TaskListHandle>(null);
  const add = () => field.current?.focus();
  useCommands([{ id: 'tasks.add', label: words.newTask, group: names.tasks, keys: 'n', run: add }]);

  return (
    <Page
      title={names.tasks}
      actions={
        <>
          <Whose />
          <Menu label={names.more}>
            <ExportMenuItem list="tasks" query={filtersOf(whose, chosen)} />
          </Menu>
        </>
      }
      toolbar={<Groups groups={groups} />}
    >
      <div className="tasks">
        <QuickAdd
          field={field}
          usualDue={(values.tab === 'tomorrow' ? names.due.tomorrow : names.due.today).toLowerCase()}
          onLeave={() => list.current?.focus()}
        />
        {groups && <Tasks whose={whose} groups={groups} chosen={chosen} list={list} />}
        {!groups && found.error && <ErrorState error={found.error} onRetry={() => void found.refetch()} />}
        {!groups && !found.error && <Skeleton rows={8} />}
      </div>
    </Page>
  );
}

function Tasks({
  whose,
  groups,
  chosen,
  list,
}: {
  whose: string | undefined;
  groups: readonly TaskGroup[];
  chosen: TaskGroup | undefined;
  list: React.RefObject<TaskListHandle | null>;
}) {
  const words = useWords(tasksWords);
  const names = useWords(shared);
  const isDone = chosen?.group === 'done';
  const query = useInfiniteQuery(rowsQuery(whose, chosen));
  const tasks = rowsOf(query.data);
  // That the group shown before is empty says nothing about this one.
  if (!tasks || (tasks.length === 0 && query.isPlaceholderData)) {
    if (query.error) return <ErrorState error={query.error} onRetry={() => void query.refetch()} />;
    return <Skeleton rows={8} />;
  }
  return (
    <>
      <TaskList
        key={`${whose} ${chosen?.group}`}
        label={chosen ? names.due[chosen.group] : names.tasks}
        tasks={tasks}
        groups={chosen ? undefined : groups}
        pages={query}
        handle={list}
        empty={<Empty>{isDone ? words.noneDone : chosen ? words.noneHere : words.noneOpen}</Empty>}
      />
      <ListEnd list={query} />
    </>
  );
}

function Groups({ groups }: { groups: readonly TaskGroup[] | undefined }) {
  const words = useWords(tasksWords);
  const { due } = useWords(shared);
  const format = useFormat();
  const { values } = useFilters<'tab' | 'who'>();
  const { who, tab } = values;
  const tabs = (groups ?? []).filter(({ group, count }) => count > 0 || group === tab || isUsual(group));
  return (
    <LinkTabs
      label={words.when}
      tabs={[
        { to: '/tasks', label: words.open, search: given({ who }) },
        ...tabs.map(({ group, count, is_capped }) => ({
          to: '/tasks',
          label: due[group],
          count: group === 'done' ? undefined : format.count(count, is_capped),
          search: given({ who, tab: group }),
        })),
      ]}
    />
  );
}

/** Leaves out empty parameters: an address that has them would be another one. */
function given(search: Record<string, string | undefined>): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(search).filter(([, value]) => value !== undefined));
}

/** Always there, so that tabs do not come and go while tasks are completed. */
function isUsual(group: TaskGroup['group']): boolean {
  return group === 'overdue' || group === 'today' || group === 'later' || group === 'done';
}

function Whose() {
  const words = useWords(tasksWords);
  const { values } = useFilters<'tab' | 'who'>();
  return (
    <nav className="whose" aria-label={words.whose}>
      {[[undefined, words.mine] as const, ['all', words.everybody] as const].map(([who, label]) => (
        <Link
          key={label}
          to="/tasks"
          search={given({ tab: values.tab, who }) as never}
          replace
          className="whose-link"
          activeOptions={{ exact: true, includeSearch: true, explicitUndefined: true }}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
