import { z } from 'zod';

/** Bounds of the contract's "Limits". */
const LIMITS = {
  limit: { least: 1, most: 100, usual: 25 },
  offset: {
    least: 0,
    most: 10_000,
    usual: 0,
    tooBig: 'must be at most 10000: lists are for bounded look-ups, so narrow the request',
  },
};

/** Query parameters of a list; spread into the query of its endpoint. */
export const paging = {
  limit: queryNumber(LIMITS.limit).meta({
    description: `The most rows to return; ${LIMITS.limit.usual} when absent.`,
  }),
  offset: queryNumber(LIMITS.offset).meta({
    description: `Rows to skip; ${LIMITS.offset.usual} when absent.`,
  }),
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

/** A whole number in a query; `usual` when absent. */
export function limitOf({ least = 1, most, usual }: { least?: number; most: number; usual: number }) {
  return queryNumber({ least, most, usual });
}

function queryNumber(bounds: { least: number; most: number; usual: number; tooBig?: string }) {
  const { least, most, usual } = bounds;
  const message = `must be a whole number from ${least} to ${most}`;
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})$/, message)
    .transform(Number)
    .refine((value) => value >= least && value <= most, {
      error: ({ input }) => (Number(input) > most ? bounds.tooBig : undefined) ?? message,
    })
    .prefault(String(usual))
    .meta({
      override: { type: 'integer', minimum: least, maximum: most, pattern: undefined },
    });
}
