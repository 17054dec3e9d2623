import { z } from 'zod';

/** The contract's "Limits". */
const LIMITS = {
  limit: { min: 1, max: 100, default: 25 },
  offset: {
    min: 0,
    max: 10_000,
    default: 0,
    tooBig: 'must be at most 10000: lists are for bounded look-ups, so narrow the request',
  },
};

/** Query parameters of a list; spread into the query of its endpoint. */
export const paging = {
  limit: queryNumber(LIMITS.limit).meta({
    description: `Maximum number of rows to return; ${LIMITS.limit.default} when absent.`,
  }),
  offset: queryNumber(LIMITS.offset).meta({
    description: `Rows to skip; ${LIMITS.offset.default} when absent.`,
  }),
};

export const page = z.strictObject({ size: z.int(), offset: z.int(), has_more: z.boolean() }).meta({
  id: 'Page',
  examples: [{ size: 25, offset: 0, has_more: false }],
  description: '`size` is the requested limit, not the number of rows returned.',
});

/** The response of a list. @param rows up to one more than the limit, which tells whether more follow */
export function pageOf<Row>(rows: Row[], { limit, offset }: { limit: number; offset: number }) {
  return {
    data: rows.length > limit ? rows.slice(0, limit) : rows,
    page: { size: limit, offset, has_more: rows.length > limit },
  };
}

/** A whole number in a query; `usual` when absent. */
export function limitOf({ min = 1, max, usual }: { min?: number; max: number; usual: number }) {
  return queryNumber({ min, max, default: usual });
}

type Bounds = { min: number; max: number; default: number; tooBig?: string };

function queryNumber(bounds: Bounds) {
  const { min, max } = bounds;
  const message = `must be a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^(?:0|[1-9]\d{0,15})$/, message)
    .transform(Number)
    .refine((value) => value >= min && value <= max, {
      error: ({ input }) => (Number(input) > max ? bounds.tooBig : undefined) ?? message,
    })
    .prefault(String(bounds.default))
    .meta({ override: { type: 'integer', minimum: min, maximum: max, pattern: undefined } });
}
