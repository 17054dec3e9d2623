import { sql } from 'kysely';
import { etag } from '../changes/write.ts';
import { companyColumn } from '../companies/named.ts';
import type { Listing } from '../db/listing-shape.ts';
import { answer, operation } from '../http/endpoint.ts';
import { listPage } from '../http/listed.ts';
import { personColumn } from '../members/named.ts';
import { rangesAt } from './days.ts';
import { taskList } from './list.ts';
import { taskGroupsAnswer, taskGroupsQuery, taskRowsAnswer, type TaskRow } from './overview-schema.ts';
import { countAllTasks, countOwnTasks, MAX_COUNTED } from './overview.ts';
import { tasksQuery } from './schema.ts';
import { findTimeZone } from '../workspaces/store.ts';

export const getTaskGroups = operation({
  operationId: 'countTasks',
  summary: 'Count tasks by when they are due',
  description:
    'Overdue, today, tomorrow, this week, later and done, by the time zone of the workspace: how many, and the range of `due_date` to list them by.',
  query: taskGroupsQuery,
  answers: { 200: taskGroupsAnswer },
  fails: [],
  async handle({ query: { user_id }, tenant }) {
    const { time_zone, now } = (await tenant.row(findTimeZone, {}))!;
    const { today, ranges } = rangesAt(Temporal.Instant.from(now), time_zone);
    const places = {
      due_from: ranges.map(({ due_from }) => due_from),
      due_before: ranges.map(({ due_before }) => due_before),
    };
    const counts = user_id
      ? await tenant.rows(countOwnTasks, { ...places, user_id })
      : await tenant.rows(countAllTasks, places);
    const done = { group: 'done' as const, due_from: null, due_before: null };
    const groups = [...ranges, done].map((range, at) => {
      const { count } = counts[at]!;
      return { ...range, count: Math.min(count, MAX_COUNTED), is_capped: count > MAX_COUNTED };
    });
    return answer(200, { data: { today, time_zone, groups } });
  },
});

const { row: _row, ...ofTasks } = taskList;

/** The list of tasks with their ETags, for If-Match, and the names they show. */
const taskRows: Listing<TaskRow> = {
  ...ofTasks,
  title: 'task rows',
  columns: (p) => [
    ...taskList.columns(p),
    sql`${etag}`,
    companyColumn(p.tenant, sql`t.related_company_id`),
    personColumn(p.tenant, sql`t.user_id`),
  ],
};

export const getTaskRows = operation({
  operationId: 'listTaskRows',
  summary: 'List tasks with the names they show',
  description: 'Like `GET /tasks`, with the company and the person of each.',
  query: tasksQuery,
  answers: { 200: taskRowsAnswer },
  fails: [],
  async handle({ query: { limit, cursor, sort, ...filters }, tenant }) {
    return answer(200, await listPage(taskRows, tenant, { limit, cursor, sort }, filters));
  },
});
