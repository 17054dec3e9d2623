import { newCompany } from '../companies/add.ts';
import type { Company } from '../companies/schema.ts';
import type { Unit } from '../register/register.ts';
import { idAt, momentAt } from './calendar.ts';
import { createDraw, type Draw } from './draw.ts';
import { planOffers } from './offers.ts';
import { createPeople } from './people.ts';
import { hasEnded, later, type DemoRows, type Story } from './story.ts';
import { planTasks } from './tasks.ts';
import { NOTES } from './texts.ts';
import { chooseInventedUnits, chooseRealUnits } from './units.ts';

const DAYS = 182;

/** Companies of each status: real ones, and invented ones. */
const COMPANIES: Record<Company['status'], { real: number; invented: number }> = {
  customer: { real: 8, invented: 10 },
  prospect: { real: 9, invented: 9 },
  lead: { real: 5, invented: 7 },
  former_customer: { real: 0, invented: 6 },
  disqualified: { real: 0, invented: 6 },
};

/** How many of the companies whose story has ended are archived. */
const ARCHIVED = 4;

/**
 * Invents half a year of work, up to the day before `today`. The same options give the same rows, apart from ids.
 * @param taken organisation numbers that the workspace has
 * @param authors users who have done the work, in equal parts
 */
export function planHalfYear(options: {
  today: Temporal.PlainDate;
  seed: number;
  taken: ReadonlySet<string>;
  authors: readonly string[];
}): DemoRows {
  const { today, authors } = options;
  const draw = createDraw(options.seed);
  const stories = chooseCompanies(options.taken, draw).map(({ unit, status }, index) => {
    const from = -draw.number(status === 'lead' ? 2 : 20, status === 'lead' ? 60 : DAYS);
    const until = hasEnded(status) ? Math.min(-1, from + draw.number(10, 90)) : -1;
    return tellStory(unit, status, { from, until, author: authors[index % authors.length]! });
  });

  function tellStory(unit: Unit, status: Company['status'], course: Omit<Story, 'company'>): Story {
    const created_at = momentAt(today, course.from, draw);
    const assigned_to = status === 'lead' && draw.chance(40) ? null : course.author;
    const company = {
      ...newCompany({ outcome: 'found', unit }, { orgnr: unit.orgnr, status, assigned_to, source: 'demo' }),
      id: idAt(created_at),
      created_at,
      updated_at: later(created_at, momentAt(today, course.until, draw)),
    };
    return { ...course, company };
  }

  putAway(stories);
  const rows = {
    companies: stories.map(({ company }) => company),
    ...createPeople(stories, today, draw),
    timeline_entries: stories.flatMap((story) => writeNotes(story, today, draw)),
    tasks: planTasks(stories, today, draw),
    offers: stories.flatMap((story) => planOffers(story, today, draw)),
  };
  const inOrder = Object.entries(rows).map(([table, list]) => [table, list.toSorted(byAge)]);
  return Object.fromEntries(inOrder) as DemoRows;
}

function chooseCompanies(taken: ReadonlySet<string>, draw: Draw) {
  const counts = Object.values(COMPANIES);
  const total = (kind: 'real' | 'invented') => counts.reduce((sum, count) => sum + count[kind], 0);
  const real = chooseRealUnits(total('real'), taken, draw);
  const invented = chooseInventedUnits(total('invented') + total('real') - real.length, taken, draw);
  const chosen = (Object.keys(COMPANIES) as Company['status'][]).flatMap((status) => {
    const own = real.splice(0, COMPANIES[status].real);
    const missing = COMPANIES[status].real - own.length;
    return [...own, ...invented.splice(0, COMPANIES[status].invented + missing)].map((unit) => ({
      unit,
      status,
    }));
  });
  return draw.shuffle(chosen);
}

/** Archives a few companies whose story has ended, and deletes one, as if added by mistake. */
function putAway(stories: readonly Story[]): void {
  const ended = stories.filter(({ company }) => hasEnded(company.status));
  for (const { company } of ended.slice(0, ARCHIVED)) company.is_archived = true;
  ended.at(-1)!.company.is_deleted = true;
}

function writeNotes(
  { company, from, until, author }: Story,
  today: Temporal.PlainDate,
  draw: Draw,
): DemoRows['timeline_entries'] {
  const { first, later: middle, last } = NOTES[company.status];
  const days = until - from;
  const count = Math.min(days, draw.number(1, middle.length));
  const chosen = new Set(draw.shuffle(middle).slice(0, count));
  const steps = middle.filter((text) => chosen.has(text));
  const texts = [draw.pick(first), ...steps, ...(last ? [draw.pick(last)] : [])];
  return texts.map((text, index) => {
    const day = from + Math.round((days * index) / Math.max(1, texts.length - 1));
    const moment = momentAt(today, day, draw);
    return {
      company_id: company.id,
      type: 'add_comment',
      content: { text },
      user_id: author,
      created_at: later(company.created_at, moment),
    };
  });
}

function byAge(one: { created_at: string }, other: { created_at: string }): number {
  return one.created_at < other.created_at ? -1 : Number(one.created_at > other.created_at);
}
