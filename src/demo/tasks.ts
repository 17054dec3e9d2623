import { taskCreate, type Task } from '../tasks/schema.ts';
import { idAt, momentAt, noonOf, timeOn } from './calendar.ts';
import type { Draw } from './draw.ts';
import { hasEnded, later, type Story } from './story.ts';
import { DONE_TASKS, OPEN_TASKS, OWN_TASKS, TASK_DESCRIPTIONS } from './texts.ts';

/** Days from today on which open tasks are due: some overdue, some today, most to come. */
const DUE = [-12, -6, -3, -2, -1, 0, 0, 0, 0, 1, 1, 2, 3, 4, 5, 7, 8, 11, 14, 21, 30, 45] as const;

/** Companies have up to three completed tasks; open tasks go to those whose story goes on. */
export function planTasks(stories: readonly Story[], today: Temporal.PlainDate, draw: Draw): Task[] {
  const done = stories.flatMap((story) =>
    Array.from({ length: draw.number(0, 3) }, () => doneTask(story, today, draw)),
  );
  const goingOn = draw.shuffle(stories.filter(({ company }) => !hasEnded(company.status)));
  const open = DUE.map((due, index) => openTask(goingOn[index % goingOn.length]!, due, today, draw));
  return [...done, ...open];
}

function doneTask({ company, from, until, author }: Story, today: Temporal.PlainDate, draw: Draw): Task {
  const day = draw.number(from, until);
  const created_at = later(company.created_at, momentAt(today, day, draw));
  const doneDay = Math.min(until, day + draw.number(0, 7));
  const fields = taskCreate.decode({
    description: draw.pick(TASK_DESCRIPTIONS),
    title: draw.pick(DONE_TASKS),
    due_date: momentAt(today, doneDay, draw),
    user_id: author,
    related_company_id: company.id,
  });
  const updated_at = later(created_at, momentAt(today, doneDay, draw));
  return { ...fields, id: idAt(created_at), completed: true, created_at, updated_at };
}

function openTask(story: Story, due: number, today: Temporal.PlainDate, draw: Draw): Task {
  const { company, from, author } = story;
  const isAboutNobody = draw.chance(10);
  const created_at = later(company.created_at, momentAt(today, Math.max(from, Math.min(due, 0) - 7), draw));
  const hasTime = draw.chance(60);
  const fields = taskCreate.decode({
    description: draw.pick(TASK_DESCRIPTIONS),
    title: draw.pick(isAboutNobody ? OWN_TASKS : OPEN_TASKS),
    due_date: hasTime ? timeOn(today, due, draw) : noonOf(today, due),
    has_time_specified: hasTime,
    user_id: author,
    related_company_id: isAboutNobody ? null : company.id,
  });
  return { ...fields, id: idAt(created_at), completed: false, created_at, updated_at: created_at };
}
