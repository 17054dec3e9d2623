import { sql } from 'kysely';
import { etag } from '../changes/write.ts';
import { findNamedCompanies } from '../companies/named.ts';
import type { Listing } from '../db/listing-shape.ts';
import type { Tenant } from '../db/tenant.ts';
import { answer, operation } from '../http/endpoint.ts';
import { listPage } from '../http/listed.ts';
import { findNamedPeople } from '../members/named.ts';
import { rangesAt } from './days.ts';
import { taskList } from './list.ts';
import { taskGroupsAnswer, taskGroupsQuery, taskRowsAnswer } from './overview-schema.ts';
import { countAllTasks, countOwnTasks, MOST_COUNTED } from './overview.ts';
import { tasksQuery, type Task } from './schema.ts';
import { findTimeZone } from '../workspaces/store.ts';

export const getTaskGroups = operation({
  operationId: 'countTasks',
  summary: 'Tasks by when they are due',
  description:
    'Overdue, today, tomorrow, this week, later and done, by the time zone of the workspace: how many, and the range of `due_date` to list them by.',
  query: taskGroupsQuery,
  answers: { 200: taskGroupsAnswer },
  fails: [],
  async handle({ query: { user_id }, tenant }) {
    const { time_zone } = (await tenant.row(findTimeZone, {}))!;
    const { today, ranges } = rangesAt(Temporal.Now.instant(), time_zone);
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
      return { ...range, count: Math.min(count, MOST_COUNTED), is_capped: count > MOST_COUNTED };
    });
    return answer(200, { data: { today, time_zone, groups } });
  },
});

const { row: _row, ...ofTasks } = taskList;

/** The list of tasks with their ETags, for If-Match. */
const taskRows: Listing<Task & { etag: string }> = {
  ...ofTasks,
  title: 'task rows',
  columns: [...taskList.columns, sql`${etag}`],
};

export const getTaskRows = operation({
  operationId: 'listTaskRows',
  summary: 'List tasks with the names they show',
  description: 'As `GET /tasks`, with the company and the person of each.',
  query: tasksQuery,
  answers: { 200: taskRowsAnswer },
  fails: [],
  async handle({ query: { limit, cursor, sort, ...filters }, tenant }) {
    const { data, page } = await listPage(taskRows, tenant, { limit, cursor, sort }, filters);
    return answer(200, { data: await withNames(tenant, data), page });
  },
});

async function withNames<Row extends Task>(tenant: Tenant, rows: readonly Row[]) {
  if (rows.length === 0) return [];
  const ids = [...new Set(rows.flatMap(({ related_company_id: id }) => (id === null ? [] : [id])))];
  const [companies, people] = await Promise.all([
    ids.length > 0 ? tenant.rows(findNamedCompanies, { ids, orgnrs: [] }) : [],
    tenant.rows(findNamedPeople, { ids: [...new Set(rows.map(({ user_id }) => user_id))] }),
  ]);
  const companyOf = new Map(companies.map((company) => [company.id, company]));
  const personOf = new Map(people.map((person) => [person.id, person]));
  return rows.flatMap((row) => {
    const user = personOf.get(row.user_id);
    // Where demo data are being removed, tasks go with their person.
    if (!user) return [];
    return [{ ...row, company: companyOf.get(row.related_company_id ?? '') ?? null, user }];
  });
}
