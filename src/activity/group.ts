import type { ChangeEntry } from '../changes/schema.ts';
import type { Activity, Deed } from './schema.ts';

/** An entry with its company or contact. */
export type Told = {
  entry: ChangeEntry;
  actor: Activity['actor'];
  company: Activity['company'];
  contact: Activity['contact'];
  title: string | null;
};

/** Entries further apart belong to different activities. */
const ONE_GO = Temporal.Duration.from({ hours: 1 });
const MAX_DEEDS = 3;
/** This many similar activities are combined into one. */
const MANY = 4;

type Open = Activity & { subject: string; from: Temporal.Instant };

/**
 * Activities, newest first: what one actor did within a short time at one company, or to one contact, is one activity;
 * the same action on many, as in an import, is also one.
 * @param told newest first
 */
export function groupActivities(told: readonly Told[]): Activity[] {
  return joinAlike(joinBySubject(told)).map(({ subject, from: _from, deeds, ...rest }) => ({
    ...rest,
    deeds: shownOf(deeds, subject),
    more: Math.max(0, deeds.length - MAX_DEEDS),
  }));
}

/** The newest deeds. The creation of the company or contact itself is always among them. */
function shownOf(deeds: Deed[], subject: string): Deed[] {
  const [newest, older] = [deeds.slice(0, MAX_DEEDS), deeds.slice(MAX_DEEDS)];
  const beginning = older.find(({ resource, resource_id, action }) => {
    return action === 'created' && ['company', 'contact'].includes(resource) && resource_id === subject;
  });
  return beginning ? [...newest.slice(0, -1), beginning] : newest;
}

function joinBySubject(told: readonly Told[]): Open[] {
  const activities: Open[] = [];
  const open = new Map<string, Open>();
  for (const one of told) {
    const { entry, actor, company, contact } = one;
    const subject = company?.id ?? contact?.id ?? `${entry.resource} ${entry.resource_id}`;
    const name = `${actor.kind} ${actor.id} ${subject}`;
    const from = Temporal.Instant.from(entry.at);
    let activity = open.get(name);
    if (!activity || isFarBefore(from, activity.from)) {
      activity = { at: entry.at, actor, company, contact, deeds: [], more: 0, others: 0, subject, from };
      activities.push(activity);
      open.set(name, activity);
    }
    activity.from = from;
    addDeed(activity.deeds, one);
  }
  return activities;
}

/** Merges an earlier change of the same resource into the later one. All details of a contact count as one. */
function addDeed(deeds: Deed[], { entry, title }: Told): void {
  const { resource, resource_id, action, fields, values } = entry;
  if (resource === 'point' && deeds.some((deed) => deed.resource === 'point')) return;
  const later = deeds.findLast((deed) => deed.resource === resource && deed.resource_id === resource_id);
  if (!later || !(action === 'updated' || action === 'created') || later.action !== 'updated') {
    deeds.push({ resource, resource_id, action, fields, values, title });
    return;
  }
  later.action = action;
  later.fields = [...new Set([...fields, ...later.fields])];
  const both = Object.keys({ ...values, ...later.values });
  later.values = Object.fromEntries(
    both.map((field) => [
      field,
      [(values[field] ?? later.values[field]!)[0], (later.values[field] ?? values[field]!)[1]],
    ]),
  );
}

/** Combines many consecutive activities of one actor and one kind into the newest. */
function joinAlike(activities: readonly Open[]): Open[] {
  const joined: Open[] = [];
  let run: Open[] = [];
  const end = () => {
    if (run.length < MANY) joined.push(...run);
    else joined.push({ ...run[0]!, others: run.length - 1 });
    run = [];
  };
  for (const activity of activities) {
    const last = run.at(-1);
    if (last && !isAlike(last, activity)) end();
    run.push(activity);
  }
  end();
  return joined;
}

function isAlike(one: Open, other: Open): boolean {
  if (one.actor.kind !== other.actor.kind || one.actor.id !== other.actor.id) return false;
  if (isFarBefore(Temporal.Instant.from(other.at), one.from)) return false;
  // A command changes many resources, which need no separate activities.
  return one.actor.kind === 'command' || kindsOf(one) === kindsOf(other);
}

function isFarBefore(earlier: Temporal.Instant, later: Temporal.Instant): boolean {
  return Temporal.Instant.compare(earlier.add(ONE_GO), later) < 0;
}

function kindsOf({ deeds }: Open): string {
  return [...new Set(deeds.map(({ resource, action }) => `${resource} ${action}`))].toSorted().join();
}
