import { z } from 'zod';

/** Bounds of the contract's "Limits". */
const LIMITS = {
  limit: { least: 1, most: 100, usual: 25 },
  offset: { least: 0, most: 10_000, usual: 0 },
};

/** Query parameters of a list; spread into the query of its endpoint. */
export const paging = {
  limit: queryNumber(LIMITS.limit).meta({ description: 'The most rows to return.' }),
  offset: queryNumber(LIMITS.offset).meta({ description: 'Rows to pass over.' }),
};

export const page = z.strictObject({ size: z.int(), offset: z.int(), has_more: z.boolean() }).meta({
  id: 'Page',
  examples: [{ size: 25, offset: 0, has_more: false }],
  description: '`size` is the requested limit, not the number of rows returned.',
});

/** The answer of a list whose query asked for one row more than the limit, to learn whether more follow. */
export function pageOf<Row>(rows: Row[], { limit, offset }: { limit: number; offset: number }) {
  return {
    data: rows.length > limit ? rows.slice(0, limit) : rows,
    page: { size: limit, offset, has_more: rows.length > limit },
  };
}

function queryNumber({ least, most, usual }: { least: number; most: number; usual: number }) {
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, message)
    .prefault(String(usual))
    .meta({
      override: { type: 'integer', minimum: least, maximum: most, default: usual, pattern: undefined },
    });
}
