import { z } from 'zod';
import { requiredText, timestamp, uuid } from '../http/fields.ts';
import { cursorPage, cursorPaging } from '../http/paging.ts';

const EXAMPLE = {
  id: 1042,
  company_id: '018f3a52-7c1e-7b7a-9a51-1f4f4c5b7a10',
  type: 'add_comment',
  content: { text: 'Vil ha tilbud på ny avtale.' },
  user_id: '018f3a52-0000-7000-8000-000000000001',
  created_at: '2026-01-15T09:00:00.000Z',
};

export const noteCreate = z
  .strictObject({ text: requiredText(20_000).meta({ description: 'Plain text.' }) })
  .meta({ id: 'CompanyNoteCreate', examples: [{ text: EXAMPLE.content.text }] });

const note = z
  .strictObject({
    id: z.int(),
    company_id: uuid,
    type: z.string().meta({ examples: ['add_comment'] }),
    content: z.strictObject({ text: z.string() }),
    user_id: uuid,
    created_at: timestamp,
  })
  .meta({ id: 'CompanyNote', examples: [EXAMPLE] });

export const noteAnswer = z.strictObject({ data: note });
export const notesQuery = z.strictObject(cursorPaging);
export const notesAnswer = z.strictObject({ data: z.array(note), page: cursorPage });

const TYPES = [
  'add_comment',
  'create_company',
  'archive',
  'unarchive',
  'delete',
  'restore',
  'change_status',
  'change_assignment',
  'register_change',
] as const;

const timelineEntry = z
  .strictObject({
    ...note.shape,
    type: z.enum(TYPES).meta({ examples: ['change_status'] }),
    content: z
      .strictObject({
        text: z.string().optional().meta({ description: 'Of a note.' }),
        from: z.string().nullable().optional().meta({ description: 'Of a change: the value before.' }),
        to: z.string().nullable().optional().meta({ description: 'Of a change: the value after.' }),
        fields: z
          .array(z.string())
          .optional()
          .meta({ description: 'Of a change in the register: names of the fields that changed.' }),
      })
      .meta({ description: 'Empty where the type needs no detail.' }),
    user_id: uuid.nullable().meta({
      description:
        'The person, or the creator of the API key; null when the change came from elsewhere, such as the register.',
    }),
  })
  .meta({
    id: 'CompanyTimelineEntry',
    examples: [
      { ...EXAMPLE, id: 1043, type: 'change_status', content: { from: 'prospect', to: 'customer' } },
    ],
  });

export const timelineAnswer = z.strictObject({ data: z.array(timelineEntry), page: cursorPage });

export type Note = z.output<typeof note>;
export type TimelineEntry = z.output<typeof timelineEntry>;
export const NOTE_COLUMNS = Object.keys(note.shape) as (keyof Note)[];
