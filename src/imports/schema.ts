import { z } from 'zod';
import { text, timestamp, uuid, wholeNumber } from '../http/fields.ts';
import { limitOf } from '../http/paging.ts';
import { FIELDS, IMPORTED } from './fields.ts';

/** The most rows of one request; a body also has at most 1000 cells in all. */
const MAX_ROWS = 200;
/** The most columns, and the most lines that a file of 10 MB can have. */
const MAX_COLUMNS = 200;
const MAX_LINES = 5_000_000;

export const OUTCOMES = ['created', 'updated', 'unchanged', 'refused'] as const;

/** Why a row is refused. The application translates the codes. */
const REASONS = [
  'required',
  'several',
  'invalid_text',
  'too_long',
  'invalid_email',
  'invalid_orgnr',
  'invalid_id',
  'invalid_number',
  'invalid_choice',
  'label_missing',
  'unknown_user',
  'ambiguous_user',
  'unknown_company',
  'deleted_company',
  'not_in_register',
  'unreadable_in_register',
  'ambiguous',
  'used_id',
  'repeated',
  'limit',
] as const;

const resource = z.enum(IMPORTED);

const field = z.enum([...new Set(Object.values(FIELDS).flat())]);
const column = field.nullable().meta({ description: 'The field that a column holds; null leaves it out.' });
const columns = z.array(column).min(1).max(MAX_COLUMNS);

const cells = z
  .array(z.string())
  .max(MAX_COLUMNS)
  .meta({ description: 'Cells of the columns that are imported, in their order.' });
const line = wholeNumber(1, MAX_LINES).meta({ description: 'Line of the row in the file; the header is 1.' });
const rows = z
  .array(z.strictObject({ line, cells }))
  .min(1)
  .max(MAX_ROWS)
  .refine((all) => new Set(all.map((row) => row.line)).size === all.length, 'must have each line once');

const reason = z.strictObject({
  field: z.string().nullable(),
  code: z.enum(REASONS),
  line: line.optional().meta({ description: 'Line of the earlier row that this one repeats.' }),
});

const result = z.strictObject({
  line: z.int(),
  outcome: z.enum(OUTCOMES),
  resource_id: uuid.nullable(),
  fields: z.array(z.string()).meta({ description: 'Those set or changed.' }),
  reasons: z.array(reason),
});

const imported = z.strictObject({
  id: uuid,
  resource,
  user_id: uuid,
  file_name: z.string(),
  columns: z.array(z.string().nullable()),
  row_count: z.int(),
  digest: z.string().nullable(),
  created_count: z.int(),
  updated_count: z.int(),
  unchanged_count: z.int(),
  refused_count: z.int(),
  undone_count: z.int(),
  kept_count: z.int(),
  created_at: timestamp,
  undone_at: timestamp.nullable(),
  can_undo: z.boolean(),
  is_under_way: z.boolean().meta({ description: 'Whether it received rows within the last minute.' }),
});

const listedRow = z.strictObject({
  ...result.shape,
  label: z.string().nullable().meta({ description: 'Name or title, as it is now.' }),
  orgnr: z.string().nullable(),
  undo: z.enum(['undone', 'kept']).nullable(),
});

export const guessBody = z.strictObject({ resource, rows: z.array(cells).min(1).max(20) });
export const guessAnswer = z.strictObject({
  data: z.strictObject({
    columns: z.array(z.string().nullable()),
    fields: z.array(field).readonly().meta({ description: 'What a column can hold.' }),
    needed: z
      .array(z.array(field).readonly())
      .readonly()
      .meta({ description: 'A file needs a column of each group.' }),
  }),
});

export const checkBody = z.strictObject({ resource, columns, rows });
export const resultsAnswer = z.strictObject({ data: z.array(result) });

export const importCreate = z.strictObject({
  resource,
  columns,
  file_name: text(255),
  row_count: wholeNumber(1, MAX_LINES),
  digest: text(64)
    .nullable()
    .default(null)
    .meta({ description: 'Of header and rows; the caller compares it to detect another file.' }),
});
export const importParams = z.strictObject({ id: uuid });
export const importAnswer = z.strictObject({ data: imported });
const listed = z.strictObject({ ...imported.shape, user_name: z.string() });
export const importsAnswer = z.strictObject({ data: z.array(listed) });
export const rowsBody = z.strictObject({ rows });

export const rowsQuery = z.strictObject({
  show: z
    .enum([...OUTCOMES, 'kept'])
    .optional()
    .meta({ description: '`kept` are those that undoing left alone, since they were changed afterwards.' }),
  after: limitOf({ min: 0, max: MAX_LINES, usual: 0 }),
  limit: limitOf({ max: 500, usual: 100 }),
});
export const rowsAnswer = z.strictObject({
  data: z.array(listedRow),
  next: z.int().nullable().meta({ description: 'The `after` of the next page.' }),
});
export const undoBody = z.strictObject({});
export const undoAnswer = z.strictObject({ data: imported, remaining: z.int() });

export type Import = z.output<typeof imported>;
export type ListedImport = z.output<typeof listed>;
export type Result = z.output<typeof result>;
export type Reason = z.output<typeof reason>;
export type ListedRow = z.output<typeof listedRow>;
export type RowOfFile = z.output<typeof rows>[number];
