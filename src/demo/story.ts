import type { Company } from '../companies/schema.ts';
import type { Note } from '../companies/timeline-schema.ts';
import type { Contact, Link, Point } from '../contacts/schema.ts';
import type { Offer } from '../offers/schema.ts';
import type { Task } from '../tasks/schema.ts';
import { NOTES } from './texts.ts';

type Stamps = { created_at: string; updated_at: string };

/** Rows as the tables have them, without the workspace, oldest first. */
export type DemoRows = {
  companies: (Company & Stamps)[];
  contacts: (Contact & Stamps & { point_count: number; link_count: number })[];
  contact_points: (Omit<Point, 'id'> & { contact_id: string; created_at: string })[];
  contact_companies: (Omit<Link, 'id'> & { contact_id: string; created_at: string })[];
  timeline_entries: Omit<Note, 'id'>[];
  tasks: Task[];
  offers: (Offer & Stamps & { status_since: string })[];
};

/** A company on its way through the half year. */
export type Story = {
  company: DemoRows['companies'][number];
  /** Days from today, negative: the day on which the story began, and the last day on which anything happened. */
  from: number;
  until: number;
  /** The responsible user. */
  author: string;
};

/** Whether the story of a company with this status has ended. */
export function hasEnded(status: Company['status']): boolean {
  return NOTES[status].last !== undefined;
}

/** The later of two moments, so that an event does not precede its cause on the same day. */
export function later(one: string, other: string): string {
  return one > other ? one : other;
}
