import { z } from 'zod';
import { workspaceUpdate } from '../workspaces/schema.ts';

/** The resources in a file, in this order: a resource comes after those that it refers to. */
export const LINE_KINDS = [
  'user',
  'company',
  'contact',
  'erased_contact',
  'timeline_entry',
  'task',
  'offer',
] as const;
export type LineKind = (typeof LINE_KINDS)[number];

export const FORMAT = 'kundebok workspace';
export const VERSION = 1;

/** The first line. */
export const head = z.object({
  format: z.literal(FORMAT),
  version: z.int(),
  /** The schema of the release that made the file; files of earlier releases do not state it. */
  schema_version: z.int().optional(),
  /** Files of earlier releases have no language and no time zone. */
  workspace: z.object({ ...workspaceUpdate.shape, id: z.guid(), name: z.string() }),
  /** The moment whose data the file holds. */
  exported_at: z.string(),
});

/** Id of a note, detail or link. Rows added after an import get higher ids; JSON's numbers are exact up to 2^53. */
const number = z
  .int()
  .min(1)
  .max(2 ** 52);
const parts = z.array(z.looseObject({ id: number })).optional();

/** A line: `data` as the API shows it, and `more` for what the API does not show. */
export const line = z
  .object({
    resource: z.enum(LINE_KINDS),
    data: z.looseObject({ id: z.union([z.guid(), number]), points: parts, links: parts }),
    more: z.record(z.string(), z.unknown()).default({}),
  })
  .refine(({ resource, data: { id } }) => (typeof id === 'number') === (resource === 'timeline_entry'))
  .refine(({ resource, data: { points, links } }) => resource !== 'contact' || (points && links));

/** The last line: without it the file is incomplete. Files of earlier releases count fewer kinds. */
export const foot = z.object({ end: z.literal(true), counts: z.partialRecord(z.enum(LINE_KINDS), z.int()) });

export type Head = z.output<typeof head>;
export type Line = z.output<typeof line>;
export type Counts = Record<LineKind, number>;

export function noCounts(): Counts {
  return Object.fromEntries(LINE_KINDS.map((kind) => [kind, 0])) as Counts;
}
