import { useQueryClient, type InfiniteData, type QueryClient } from '@tanstack/react-query';
import { call, type CallOptions, type CallResult } from '../../client/call.ts';
import type { Tries } from '../../client/create-unless-there.ts';
import { useMembers } from '../../client/members.ts';
import { isConflict } from '../../client/problem.ts';
import { listOf, rowsOf } from '../../client/queries.ts';
import { useSession } from '../../client/session.ts';
import type { Groups } from '../../client/task-groups.ts';
import { useMutationWithUndo } from '../../client/undo.ts';
import { useWords } from '../../words/dictionary.ts';
import { patchTask, type TaskChange } from './patch-task.ts';
import { storeTask, type NewTask } from './store-task.ts';
import { tasksWords } from './words.ts';

type RowsPage = CallResult<'GET /tasks/rows'>;
export type TaskRow = RowsPage['data']['data'][number];
export type TaskGroup = Groups['data']['data']['groups'][number];
type RowsQuery = NonNullable<CallOptions<'GET /tasks/rows'>['query']>;

/** The queries of everything that shows tasks. */
const KEYS = [['tasks']] as const;
const ROWS = ['tasks', 'GET /tasks/rows'];

export function taskRows(query: RowsQuery) {
  return listOf('GET /tasks/rows', { query });
}

/** Members to give a task to, the signed-in person first. */
export function useAssignees(): readonly { id: string; name: string }[] {
  const { user } = useSession();
  const { members } = useMembers();
  return members.toSorted((one, other) => Number(other.id === user.id) - Number(one.id === user.id));
}

/** Actions on tasks. Each is shown before the service has answered, and can be undone for ten seconds. */
export function useTaskActions() {
  const client = useQueryClient();
  const words = useWords(tasksWords);

  const complete = useMutationWithUndo({
    keys: KEYS,
    run: (task: TaskRow) => patchTask(task, { completed: !task.completed }),
    undo: (task, answer) => takeBack(task, answer, { completed: task.completed }),
    of: ({ id }) => `task ${id}`,
    show: ({ id }) => changeRows(client, (row) => (row.id === id ? undefined : row)),
    text: ({ title, completed }) => (completed ? words.reopenedNow(title) : words.completedNow(title)),
  });
  const remove = useMutationWithUndo({
    keys: KEYS,
    run: ({ id }: TaskRow) => call('DELETE /tasks/{id}', { params: { id } }),
    undo: ({ id }) => call('POST /tasks/{id}/restore', { params: { id } }),
    of: ({ id }) => `task ${id}`,
    show: ({ id }) => changeRows(client, (row) => (row.id === id ? undefined : row)),
    text: ({ title }) => words.deletedNow(title),
  });
  const change = useMutationWithUndo({
    keys: KEYS,
    run: ({ task, to }: Changing) => patchTask(task, to),
    undo: ({ task, to }, answer) => takeBack(task, answer, valuesBefore(task, to)),
    of: ({ task: { id } }) => `task ${id}`,
    show: ({ task: { id }, to, shown }) => showTask(client, id, { ...to, ...shown }),
    text: ({ said }) => said,
  });
  const add = useMutationWithUndo({
    keys: KEYS,
    // Another title is another task. The earlier one is in the list if it was stored although no answer came.
    run: ({ body, tries }: { body: NewTask; tries: Tries }) => storeTask(body, tries, body.title),
    undo: (_input, id) => call('DELETE /tasks/{id}', { params: { id } }),
    of: (_input, id) => `task ${id}`,
    text: ({ body }) => words.addedNow(body.title),
  });
  return { complete: complete.mutate, remove: remove.mutate, change: change.mutate, add };
}

type Changing = { task: TaskRow; to: TaskChange; shown?: Partial<TaskRow>; said: string };

/** Undoes a change of a task, unless somebody else has changed the task after it. */
async function takeBack({ id }: TaskRow, { etag = '' }: CallResult<'PATCH /tasks/{id}'>, to: TaskChange) {
  try {
    await patchTask({ id, etag: etag.replaceAll('"', '') }, to, { isChecked: true });
  } catch (error) {
    // An earlier try, whose answer was lost, may already have undone the change.
    if (!isConflict(error) || !(await isAs(id, to))) throw error;
  }
}

async function isAs(id: string, values: TaskChange): Promise<boolean> {
  const { data } = await call('GET /tasks/{id}', { params: { id } });
  return Object.entries(values).every(([field, value]) => data.data[field as keyof TaskChange] === value);
}

/** What undoing sets: the same fields as they were. */
function valuesBefore(task: TaskRow, to: TaskChange): TaskChange {
  return Object.fromEntries(Object.keys(to).map((field) => [field, task[field as keyof TaskRow]]));
}

/** Shows a change of a task until the lists have been read again. */
export function showTask(client: QueryClient, id: string, change: TaskChange & Partial<TaskRow>): void {
  changeRows(client, (row) => (row.id === id ? { ...row, ...change } : row));
}

/** Reads again the lists that are shown. @returns the ETag of the task in them, if one of them has it */
export async function readShownState(client: QueryClient, id: string): Promise<string | undefined> {
  await client.invalidateQueries({ queryKey: ROWS });
  const lists = client.getQueriesData<InfiniteData<RowsPage>>({ queryKey: ROWS, type: 'active' });
  return lists.flatMap(([, list]) => rowsOf(list) ?? []).find((row) => row.id === id)?.etag;
}

/** Changes a task in every list that shows it, or takes it out. */
function changeRows(client: QueryClient, change: (row: TaskRow) => TaskRow | undefined): void {
  client.setQueriesData<InfiniteData<RowsPage>>(
    { queryKey: ROWS },
    (old) =>
      old && {
        ...old,
        pages: old.pages.map((page) => ({
          ...page,
          data: { ...page.data, data: page.data.data.flatMap((row) => change(row) ?? []) },
        })),
      },
  );
}
