import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { createApp, type AppOptions } from '../src/http/app.ts';

/** The JSON server without routes, limits, log or bounds of load, except as given. */
export function createBareApp({
  load,
  ...options
}: Omit<Partial<AppOptions>, 'load'> & { load?: Partial<AppOptions['load']> } = {}): FastifyInstance {
  return createApp({
    log: pino({ level: 'silent' }),
    onAnswer() {},
    onShed() {},
    slowRequestMs: 1_000,
    limits: undefined,
    trustProxy: [],
    load: { lagMs: Infinity, memory: Infinity, isFull: () => false, ...load },
    ...options,
  });
}
