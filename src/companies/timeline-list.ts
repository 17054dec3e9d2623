import { sql } from 'kysely';
import type { Listing } from '../db/listing-shape.ts';
import { NOTE_COLUMNS, type Note, type TimelineEntry } from './timeline-schema.ts';

const entries = {
  table: 'timeline_entries',
  columns: () => NOTE_COLUMNS.map((column) => sql.ref(column)),
  id: 'bigint',
  longText: ({ content }: { content: TimelineEntry['content'] }) => content.text,
  sorts: {},
  sieves: {},
} as const;

/** The timeline of one company, newest first. */
export const timelineList: Listing<TimelineEntry> = {
  ...entries,
  title: 'timeline',
  descending: true,
  equal: { company: (id) => sql`t.company_id = ${id}` },
};

/** The notes of all companies. */
export const noteList: Listing<Note> = {
  ...entries,
  title: 'notes',
  always: sql`t.type = 'add_comment'`,
  equal: {},
};
