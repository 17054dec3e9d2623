import { contactCreate } from '../contacts/schema.ts';
import type { Draw } from './draw.ts';
import { idAt, momentAt } from './calendar.ts';
import { later, type DemoRows, type Story } from './story.ts';
import { CONTACT_NOTES, FIRST_NAMES, LAST_NAMES, JOB_TITLES } from './texts.ts';

type People = Pick<DemoRows, 'contacts' | 'contact_points' | 'contact_companies'>;

/** The people at the companies, with their contact details and roles. */
export function createPeople(stories: readonly Story[], today: Temporal.PlainDate, draw: Draw): People {
  const people: People = { contacts: [], contact_points: [], contact_companies: [] };
  const names = new Set<string>();
  for (const [index, story] of stories.entries()) {
    const count = draw.number(story.company.status === 'lead' ? 0 : 1, 3);
    for (let made = 0; made < count; made += 1) {
      const created_at = later(story.company.created_at, momentAt(today, story.from, draw));
      const name = newName(names, draw);
      const contact_id = idAt(created_at);
      const points = pointsOf(name, draw);
      // Some sit on the board of another company, too.
      const others = draw.chance(8) && index > 0 ? [draw.pick(stories.slice(0, index)).company.id] : [];
      people.contacts.push({
        ...contactCreate.decode({ name, notes: draw.chance(30) ? draw.pick(CONTACT_NOTES) : '' }),
        id: contact_id,
        point_count: points.length,
        link_count: 1 + others.length,
        created_at,
        updated_at: created_at,
      });
      people.contact_points.push(...points.map((point) => ({ ...point, contact_id, created_at })));
      const role = draw.chance(90) ? draw.pick(JOB_TITLES) : null;
      people.contact_companies.push(
        { contact_id, company_id: story.company.id, role, created_at },
        ...others.map((company_id) => ({ contact_id, company_id, role: 'Styremedlem', created_at })),
      );
    }
  }
  return people;
}

function newName(names: Set<string>, draw: Draw): string {
  for (;;) {
    const name = `${draw.pick(FIRST_NAMES)} ${draw.pick(LAST_NAMES)}`;
    if (names.has(name)) continue;
    names.add(name);
    return name;
  }
}

function pointsOf(name: string, draw: Draw) {
  const email = `${asciiOf(name).replaceAll(' ', '.')}@example.no`;
  // No Norwegian telephone number begins with 00, so these are nobody's.
  const mobile = `000 0${draw.number(0, 9)} ${digits(draw)}`;
  const telephone = `00 00 ${digits(draw).slice(1)} ${digits(draw).slice(1)}`;
  const points: Omit<DemoRows['contact_points'][number], 'contact_id' | 'created_at'>[] = [
    { type: 'email', label: '', value: email },
  ];
  if (draw.chance(80)) points.push({ type: 'mobile', label: '', value: mobile });
  if (draw.chance(25)) points.push({ type: 'telephone', label: 'Kontoret', value: telephone });
  if (draw.chance(15)) points.push({ type: 'other', label: 'Teams', value: email });
  return points;
}

function digits(draw: Draw): string {
  return String(draw.number(0, 999)).padStart(3, '0');
}

function asciiOf(name: string): string {
  return name.toLowerCase().replaceAll('æ', 'ae').replaceAll('ø', 'o').replaceAll('å', 'a');
}
