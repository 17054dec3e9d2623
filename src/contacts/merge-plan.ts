import { pick } from '../db/columns.ts';
import {
  CONTACT_CHANGEABLE,
  CONTACT_NOTES_LIMIT,
  MAX_LINKS,
  MAX_POINTS,
  type Contact,
  type ContactUpdate,
  type Link,
  type Point,
} from './schema.ts';

/** A contact with its details and links. */
export type Whole = Contact & { points: Point[]; links: Link[] };

/** The name is not among them, since every contact has its own. */
const FILLED_FIELDS = CONTACT_CHANGEABLE.filter((field) => field !== 'name');

/** What the contact's fields become, except its name, and what becomes of the other's details and company links. */
export type MergePlan = Omit<Required<ContactUpdate>, 'name'> & {
  moved: { points: Point[]; links: Link[] };
  /** What the contact already has, so it is not duplicated. */
  dropped: { points: Point[]; links: Link[] };
  /** Details that stay or move without a label, and get the label of an equal detail that is dropped. */
  labels: { id: number; label: string }[];
  /** Links of the contact that have no role, and get the role of the other's link to the same company. */
  roles: { id: number; role: string }[];
};

/**
 * Plans a merge: the contact gets everything of the other that it does not already have. A field keeps its value, or
 * takes the other's where it has none; notes are joined.
 */
export function planMerge(contact: Whole, other: Whole): MergePlan {
  const points = separate(contact.points, other.points, sameness);
  const roles = missingRoles(contact.links, other.links);
  const filled = new Map(roles.map(({ id, role }) => [id, role]));
  const links = contact.links.map((link) => ({ ...link, role: filled.get(link.id) ?? link.role }));
  const withRole = new Set([...links, ...other.links].filter(hasRole).map(({ company_id }) => company_id));
  const linked = separate(links, other.links, (link) =>
    // A link without a role adds nothing to another link to the same company.
    !hasRole(link) && withRole.has(link.company_id) ? undefined : `${link.company_id} ${folded(link.role)}`,
  );
  return {
    ...pick(other, FILLED_FIELDS),
    ...pick(
      contact,
      FILLED_FIELDS.filter((field) => !isBlank(contact[field])),
    ),
    notes: joinNotes(contact.notes, other.notes),
    moved: { points: points.moved, links: linked.moved },
    dropped: { points: points.dropped, links: linked.dropped },
    labels: missingLabels([...contact.points, ...points.moved], points.dropped),
    roles,
  };
}

/** Whether added rows exceed a limit. A contact that already has more than `most` may keep them. */
function isOver(own: readonly unknown[], more: readonly unknown[], most: number): boolean {
  return more.length > 0 && own.length + more.length > most;
}

/** Why a planned merge is impossible: the numbers of details, links and characters of notes are limited. */
export function faultOfMerge(contact: Whole, plan: MergePlan): string | undefined {
  const { moved } = plan;
  if (isOver(contact.points, moved.points, MAX_POINTS)) return `more than ${MAX_POINTS} details`;
  if (isOver(contact.links, moved.links, MAX_LINKS)) return `more than ${MAX_LINKS} company links`;
  const isLong = Array.from(plan.notes).length > CONTACT_NOTES_LIMIT;
  return isLong ? `notes of more than ${CONTACT_NOTES_LIMIT} characters` : undefined;
}

/** Moves the other's rows whose key is new. A row without a key is not moved. */
function separate<Row>(own: readonly Row[], others: readonly Row[], keyOf: (row: Row) => string | undefined) {
  const seen = new Set(own.map(keyOf));
  const moved: Row[] = [];
  const dropped: Row[] = [];
  for (const row of others) {
    const key = keyOf(row);
    const isNew = key !== undefined && !seen.has(key);
    (isNew ? moved : dropped).push(row);
    seen.add(key);
  }
  return { moved, dropped };
}

/** Details are compared without case; details of type `other` also by their label. */
function sameness({ type, value, label }: Point): string {
  return JSON.stringify([type, folded(value), type === 'other' ? folded(label) : '']);
}

function missingLabels(kept: readonly Point[], dropped: readonly Point[]): { id: number; label: string }[] {
  const labelled = Map.groupBy(
    dropped.filter(({ label }) => !isBlank(label)),
    sameness,
  );
  return kept.flatMap((point) => {
    const twin = isBlank(point.label) ? labelled.get(sameness(point))?.[0] : undefined;
    return twin ? [{ id: point.id, label: twin.label }] : [];
  });
}

function missingRoles(own: readonly Link[], others: readonly Link[]): { id: number; role: string }[] {
  const taken = new Set(own.filter(hasRole).map(({ company_id }) => company_id));
  return own.flatMap(({ id, company_id }) => {
    const source = others.find((link) => link.company_id === company_id && hasRole(link));
    if (taken.has(company_id) || !source) return [];
    taken.add(company_id);
    return [{ id, role: source.role! }];
  });
}

function hasRole({ role }: Link): boolean {
  return !isBlank(role);
}

function isBlank(value: unknown): boolean {
  return value === null || (typeof value === 'string' && value.trim() === '');
}

function folded(text: string | null): string {
  return (text ?? '').trim().toLowerCase();
}

function joinNotes(notes: string, more: string): string {
  if (more.trim() === '' || notes.trim() === more.trim()) return notes;
  return notes.trim() === '' ? more : `${notes}\n\n${more}`;
}
