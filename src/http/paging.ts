import { z } from 'zod';
import { encodeCursor, FOREIGN_CURSOR, isCursor } from './cursor.ts';

const OFFSET = {
  min: 0,
  max: 10_000,
  tooBig: 'must be at most 10000: to read on, begin with an empty cursor',
};

/** Query parameters of a list (contract, "Limits"); spread into the query of its endpoint. */
export const paging = {
  limit: limitOf({ max: 100, usual: 25 }).meta({
    description: 'Maximum number of rows to return; 25 when absent.',
  }),
  offset: numberIn(OFFSET)
    .optional()
    .meta({
      ...describedNumber(OFFSET),
      description: 'Rows to skip; 0 when absent. Cannot be combined with a parameter marked `x-addition`.',
    }),
};

const nextCursor = z
  .string()
  .nullable()
  .meta({ description: 'The `cursor` of the next page; null at the end.' });

export const page = z
  .strictObject({
    size: z.int(),
    offset: z.int(),
    has_more: z.boolean(),
    next_cursor: nextCursor.optional().meta({ ...nextCursor.meta(), 'x-addition': true }),
  })
  .meta({
    id: 'Page',
    examples: [{ size: 25, offset: 0, has_more: false }],
    description:
      '`size` is the requested limit, not the number of rows returned. `next_cursor` is present when a parameter marked `x-addition` was given.',
  });

/** The response of a list. @param rows up to one more than the limit, which shows whether more follow */
export function pageOf<Row>(rows: Row[], { limit, offset }: { limit: number; offset: number }) {
  return {
    data: rows.length > limit ? rows.slice(0, limit) : rows,
    page: { size: limit, offset, has_more: rows.length > limit },
  };
}

export const cursor = z.string().refine(isCursor, FOREIGN_CURSOR).optional().meta({
  description:
    '`page.next_cursor` of the previous page, with the same filters and sort. Empty for the first page.',
});

/** Query parameters of a list that is paged by cursor; spread into the query of its endpoint. */
export const cursorPaging = { limit: paging.limit, cursor };

export const cursorPage = z
  .strictObject({ size: z.int(), has_more: z.boolean(), next_cursor: nextCursor })
  .meta({
    id: 'CursorPage',
    examples: [{ size: 25, has_more: false, next_cursor: null }],
    description:
      '`size` is the requested limit. With `q` or long texts, a page can contain fewer rows while more follow; with a range, the contacts of a company or several filters, it can be empty: continue while `next_cursor` is not null.',
  });

/** The page of an answer. @param next where the page ends, if more rows follow */
export function cursorPageOf(kind: string, limit: number, next: readonly (string | number)[] | undefined) {
  return { size: limit, has_more: next !== undefined, next_cursor: next ? encodeCursor(kind, next) : null };
}

/** A whole number in a query; `usual` when absent. */
export function limitOf({ min = 1, max, usual }: { min?: number; max: number; usual: number }) {
  return numberIn({ min, max }).prefault(String(usual)).meta(describedNumber({ min, max }));
}

type Bounds = { min: number; max: number; tooBig?: string };

function describedNumber({ min, max }: Bounds) {
  return { override: { type: 'integer', minimum: min, maximum: max, pattern: undefined } } as const;
}

function numberIn(bounds: Bounds) {
  const { min, max } = bounds;
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, {
      error: ({ input }) => (Number(input) > max ? bounds.tooBig : undefined) ?? message,
    });
}

/**
 * A list of the contract that can also be read by cursor: if any parameter other than those of the contract is
 * given, it accepts no offset.
 */
export function withCursor<Query extends z.ZodObject>(query: Query, contract: readonly string[]): Query {
  for (const [name, schema] of Object.entries<z.ZodType>(query.shape)) {
    if (!contract.includes(name)) z.globalRegistry.add(schema, { ...schema.meta(), 'x-addition': true });
  }
  return query.refine((given) => given['offset'] === undefined || !isBeyond(given, contract), {
    path: ['offset'],
    message: 'cannot be combined with other parameters: continue with page.next_cursor as cursor',
    when: () => true,
  });
}

/** Whether a query has any parameter other than those of the contract. */
export function isBeyond(query: object, contract: readonly string[]): boolean {
  return Object.entries(query).some(([name, value]) => value !== undefined && !contract.includes(name));
}
