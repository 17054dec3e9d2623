import type { CallResult } from '../../client/call.ts';
import type { Words } from './activity.tsx';

export type Activity = CallResult<'GET /activity'>['data']['data'][number];
type Deed = Activity['deeds'][number];

/** Words, and names of members by id, as they stand within a sentence. */
type Saying = Words & { memberOf: (id: string) => string };
/** `actorId`: who did it. */
type Told = Saying & { actorId: string | null };

/** Who did it: "Du", a name, an integration, the register. */
export function sayActor({ kind, id, name }: Activity['actor'], { words }: Words, ownId: string): string {
  if (kind === 'register') return words.register;
  if (kind === 'command') return id === 'demo' ? words.demo : words.command;
  if (kind === 'key') return name ? words.key(name) : words.unnamedKey;
  return id === ownId ? words.you : (name ?? words.somebody);
}

/** What was done, as it follows the name. */
export function sayDeeds(activity: Activity, saying: Saying): string[] {
  const { actor, deeds, more } = activity;
  const { words } = saying;
  if (actor.kind === 'command' && actor.id === 'demo')
    return [deeds.some(({ action }) => action === 'deleted') ? words.demoRemoved : words.demoAdded];
  const told = { ...saying, actorId: actor.id };
  const said = [...new Set(deeds.toReversed().flatMap((deed) => sayDeed(deed, told)))];
  return more > 0 ? [...said, words.more(more)] : said;
}

function sayDeed(deed: Deed, saying: Told): string[] {
  switch (deed.resource) {
    case 'company':
      return sayCompany(deed, saying);
    case 'note':
      return [pick(saying.words.note, deed.action, 'other')];
    case 'contact':
      return [pick(saying.words.contact, deed.action, 'updated')];
    case 'point':
      return [saying.words.contact.details];
    case 'link':
      return [deed.action === 'created' ? saying.words.contact.linked : saying.words.contact.details];
    case 'task':
      return sayTask(deed, saying);
    case 'offer':
      return sayOffer(deed, saying);
    default:
      return deed.resource satisfies never;
  }
}

function sayCompany({ action, values }: Deed, told: Told): string[] {
  const { words, names } = told;
  if (action !== 'updated') return [pick(words.company, action, 'updated')];
  const status = values['status']?.[1] as keyof typeof names.companyStatus | undefined;
  const assigned = values['assigned_to'];
  const said = [
    ...(status ? [words.company.status(names.companyStatus[status].toLowerCase())] : []),
    ...(assigned ? [sayAssigned(assigned[1], told)] : []),
  ];
  return said.length > 0 ? said : [words.company.updated];
}

function sayAssigned(to: unknown, told: Told): string {
  const { company } = told.words;
  return typeof to === 'string'
    ? sayGiven(to, told, company.takenOver, company.assigned)
    : company.unassigned;
}

function sayGiven(
  to: string,
  { memberOf, actorId }: Told,
  toThemselves: string,
  toOther: (name: string) => string,
): string {
  return to === actorId ? toThemselves : toOther(memberOf(to));
}

function sayTask({ action, fields, values, title }: Deed, told: Told): string[] {
  const { words } = told;
  const name = words.quoted(title ?? '…');
  const completed = values['completed'];
  if (completed?.[1] === true) return [words.task.completed(name)];
  if (action === 'created') return [words.task.created(name)];
  if (action === 'deleted' || action === 'restored') return [words.task[action](name)];
  if (completed) return [words.task.reopened(name)];
  const given = values['user_id']?.[1];
  if (typeof given === 'string')
    return [sayGiven(given, told, words.task.takenOver(name), (to) => words.task.given(name, to))];
  return [fields.includes('due_date') ? words.task.moved(name) : words.task.updated(name)];
}

function sayOffer({ action, values, title }: Deed, told: Told): string[] {
  const { words, names } = told;
  const name = words.quoted(title ?? '…');
  if (action === 'created' || action === 'deleted' || action === 'restored')
    return [words.offer[action](name)];
  const status = values['status']?.[1] as keyof typeof names.offerStatus | undefined;
  if (status) return [words.offer.status(name, words.quoted(names.offerStatus[status]))];
  const given = values['user_id']?.[1];
  if (typeof given === 'string')
    return [sayGiven(given, told, words.offer.takenOver(name), (to) => words.offer.given(name, to))];
  return [words.offer.updated(name)];
}

/** The words of an action, or those for all others. */
function pick(said: object, action: string, other: string): string {
  const all = said as Record<string, string>;
  return (Object.hasOwn(all, action) ? all[action] : all[other])!;
}
